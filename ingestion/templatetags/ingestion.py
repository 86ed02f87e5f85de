"""`{% load ingestion %}`: `{% refusal_rules as rules %}` gives (code, sentence, remedy) of every rule,
`{% cell_rules as rules %}` how cells are read, and `{{ code|help_url }}` where a code is explained."""

import re

from django import template

from ingestion import cell_rules as rules_of_cells
from ingestion.cell_rule import CellRule
from ingestion.checking import messages

register = template.Library()
PLACES = re.compile(r"\{[a-z]+\}")


@register.simple_tag
def refusal_rules() -> list[tuple[str, str, str]]:
    """In the order of their codes; where a value would stand, three dots do."""
    said = sorted(messages.ROW_MESSAGES.items())
    return [(code, PLACES.sub("…", message), PLACES.sub("…", remedy)) for code, (message, remedy) in said]


@register.simple_tag
def cell_rules() -> tuple[CellRule, ...]:
    return rules_of_cells.RULES


@register.filter
def help_url(code: str) -> str:
    return rules_of_cells.help_url(code)
