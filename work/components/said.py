"""Numbers, sizes, durations and moments inside pages; how they are said is settled in work.wording."""

from datetime import datetime, timedelta
from decimal import Decimal

from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from work import wording

register = template.Library()

SHAPES = {"relative": wording.relative, "clock": wording.clock, "date": wording.date, "exact": wording.exact}


@register.simple_tag
def when(moment: datetime | None, shape: str = "relative") -> SafeString | str:
    if moment is None:
        return "–"
    return format_html(
        '<time datetime="{}" title="{}" data-shape="{}">{}</time>',
        wording.machine(moment),
        wording.exact(moment),
        shape,
        SHAPES[shape](moment),
    )


@register.simple_tag
def server_time() -> str:
    return wording.machine(timezone.now())


@register.simple_tag
def chosen_zone() -> str:
    """The zone that the viewer has chosen; "" leaves the choice to the browser, which knows where it is."""
    zone = timezone.get_current_timezone_name()
    return "" if zone == settings.TIME_ZONE else zone


@register.filter
def number(value: int | float | Decimal | None) -> str:
    return wording.number(value)


@register.filter
def size(value: int | None) -> str:
    return wording.size(value)


@register.filter
def duration(value: timedelta | int | float | Decimal | None) -> str:
    return wording.duration(value)
