"""Live parts of a page: what is read again, how often, and how far the work has come."""

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from work import polling, wording

register = template.Library()

SPOKEN_STEP = 10  # percent: a screen reader is told of each tenth, not of each row


@register.simple_tag
def poll(url: str, seconds: int | None = None, *, since: datetime | None = None) -> SafeString | str:
    """The attributes that make an element with an id read itself again; without seconds there are none."""
    seconds = polling.seconds_since(since) if since else seconds
    if not seconds:
        return ""
    return format_html(
        'hx-get="{}" hx-trigger="every {}s, wake" hx-swap="outerHTML" hx-target="this" data-poll="{}"',
        url,
        seconds,
        seconds,
    )


@register.inclusion_tag("_components/live_line.html")
def live_line(seconds: int | None = None, *, read_at: datetime | None = None) -> dict[str, Any]:
    return {"read_at": read_at or timezone.now(), "seconds": seconds}


@register.inclusion_tag("_components/progress.html")
def progress(
    id: str,
    step: str,
    *,
    done: int = 0,
    total: int | None = None,
    unit: str = "",
    rate: float | None = None,
    heard_at: datetime | None = None,
    url: str = "",
    seconds: int | None = None,
) -> dict[str, Any]:
    """An unknown `total` shows a bar without a length; the words are the truth, the bar a picture of them."""
    return {
        "id": id,
        "step": step,
        "done": done,
        "total": total,
        "unit": unit,
        "rate": rate,
        "heard_at": heard_at,
        "url": url,
        "seconds": seconds,
        "spoken": _spoken(step, done, total),
        "counted": _counted(done, total, unit),
    }


def _spoken(step: str, done: int, total: int | None) -> str:
    if not total:
        return step
    return f"{step}, {min(100, done * 100 // total) // SPOKEN_STEP * SPOKEN_STEP} %"


def _counted(done: int, total: int | None, unit: str) -> str:
    if total:
        return f"{wording.number(done)} of {wording.number(total)} {unit}".rstrip()
    return f"{wording.number(done)} {unit}".rstrip() if done else ""
