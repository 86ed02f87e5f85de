"""What axe finds on a page, as lines a person can read."""

from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# In a second theme: themes differ in colours alone, as `tests/frame/test_themes.py` holds.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# Asks for violations only: everything that passed would be told too, which takes longer than the looking.
RUN = """
async (wanted) => {
  const found = await axe.run(document, { runOnly: wanted, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}
"""


def findings(page, *, colours_only=False):
    if not page.evaluate("typeof window.axe !== 'undefined'"):
        page.evaluate(AXE)
    wanted = {"type": "rule", "values": OF_COLOURS} if colours_only else {"type": "tag", "values": RULES}
    return page.evaluate(RUN, wanted)
