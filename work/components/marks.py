"""States as people see them: icons, badges, notices and the list of steps."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from work import badges

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    return format_html(
        '<svg aria-hidden="true"><use href="{}#{}"></use></svg>', static("img/icons.svg"), name
    )


@register.simple_tag
def state_badge(shape: str, word: str) -> SafeString:
    return _drawn(badges.Badge(shape, word))


@register.simple_tag
def state_badge_of(machine: str, state: str) -> SafeString:
    return _drawn(badges.find(machine, state))


def _drawn(badge: badges.Badge) -> SafeString:
    return format_html('<span class="state {}">{}{}</span>', badge.shape, icon(badge.shape), badge.word)


@register.simple_block_tag
def notice(content: str, shape: str = "", word: str = "", *, aside: str = "", id: str = "") -> SafeString:
    return render_to_string(
        "_components/notice.html",
        {"content": content, "shape": shape, "word": word, "aside": aside, "id": id},
    )


@register.inclusion_tag("_components/steps.html")
def step_list(steps: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Each step: name, shape, and as far as known word, detail, took (a duration) or at (a moment)."""
    return {"steps": list(steps)}
