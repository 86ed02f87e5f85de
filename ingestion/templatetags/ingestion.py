"""`{% load ingestion %}`: `{% refusal_rules as rules %}` gives (code, sentence, remedy) of every rule."""

import re

from django import template

from ingestion.checking import messages

register = template.Library()
PLACES = re.compile(r"\{[a-z]+\}")


@register.simple_tag
def refusal_rules() -> list[tuple[str, str, str]]:
    """In the order of their codes; where a value would stand, three dots do."""
    said = sorted(messages.ROW_MESSAGES.items())
    return [(code, PLACES.sub("…", message), PLACES.sub("…", remedy)) for code, (message, remedy) in said]
