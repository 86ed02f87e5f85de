"""Themes differ in colours alone, so that a look at the second one need only look at those."""

import re

from django.conf import settings

STATIC, TEMPLATES = settings.BASE_DIR / "static", settings.BASE_DIR / "templates"
TOKEN = re.compile(r"^\s*(--[a-z-]+: light-dark\([^;]*\);\s*)+$")
ASKED = re.compile(r"prefers-color-scheme|\[data-theme[=\]]")
CHOSEN = re.compile(r':root\[data-theme="(light|dark)"\] \{ color-scheme: \1; \}')


def lines_with(pattern, *folders):
    for folder in folders:
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in {".css", ".js", ".html", ".svg"}:
                yield from (line for line in path.read_text().splitlines() if re.search(pattern, line))


def test_a_theme_is_a_value_of_the_tokens_and_nothing_else():
    by_theme = list(lines_with(r"light-dark\(", STATIC))
    asked = [CHOSEN.sub("", line).strip() for line in lines_with(ASKED, STATIC, TEMPLATES)]

    assert len(by_theme) > 10
    assert [line for line in by_theme if not TOKEN.match(line)] == []
    assert [line for line in asked if line] == []
