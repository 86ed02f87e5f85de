"""What axe finds on a page, as lines a person can read."""

from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Asks for violations only: everything that passed would be told too, which takes longer than the looking.
RUN = """
async ({ rules }) => {
  const found = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}
"""


def findings(page):
    if not page.evaluate("typeof window.axe !== 'undefined'"):
        page.evaluate(AXE)
    return page.evaluate(RUN, {"rules": RULES})
