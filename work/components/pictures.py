"""Small charts as inline SVG of attributes and classes only, each with its numbers in a table under it."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.text import slugify

from work import charts

register = template.Library()


@register.inclusion_tag("_components/sparkline.html")
def sparkline(
    values: Sequence[float], title: str, *, labels: Sequence[str] = (), id: str = "", numbers: bool = True
) -> dict[str, Any]:
    """`labels` name the values in the table. Leave `numbers` out only where the page shows them otherwise."""
    named = labels or [str(place) for place in range(1, len(values) + 1)]
    return {
        "chart": charts.sparkline(values),
        "title": title,
        "id": id or slugify(title),
        "rows": list(zip(named, values, strict=True)) if numbers else [],
    }


@register.inclusion_tag("_components/strip.html")
def strip(
    states: Sequence[tuple[str, str, str]], title: str, *, id: str = "", numbers: bool = True
) -> dict[str, Any]:
    """`states` are (shape, label, word), oldest first: the shape colours the cell, label and word name it."""
    cells = charts.strip(states)
    return {
        "cells": cells,
        "height": charts.STRIP_HEIGHT,
        "width": cells[-1].x + cells[-1].width if cells else 1,
        "title": title,
        "id": id or slugify(title),
        "numbers": numbers and bool(cells),
    }
