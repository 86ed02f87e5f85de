"""What axe finds on a page, as lines a person can read."""

from axe_playwright_python.sync_playwright import Axe

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def findings(page):
    answer = Axe().run(page, options={"runOnly": RULES}).response
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:160]}"
        for violation in answer["violations"]
        for node in violation["nodes"]
    ]
