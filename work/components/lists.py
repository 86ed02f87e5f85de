"""Long lists: their filters, their pages, and acting on many of their rows at once."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.core.paginator import Page
from django.forms import Form
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from work.components.addresses import with_query, without_value
from work.counting import Counted
from work.wording import number

register = template.Library()


@register.inclusion_tag("_components/filters.html", takes_context=True)
def filters(context: template.Context, form: Form, target: str = "") -> dict[str, Any]:
    """The form filters by GET; with a `target` htmx replaces that part and keeps the address in step."""
    return {"form": form, "target": target, "url": context["request"].path}


@register.inclusion_tag("_components/filter_pills.html", takes_context=True)
def filter_pills(context: template.Context, form: Form, target: str = "") -> dict[str, Any]:
    """The filters in force, each with a link that takes it back. Stands in the part that htmx replaces."""
    request: HttpRequest = context["request"]
    pills = [
        {
            "label": bound.label,
            "value": _words(bound.field, value),
            "url": without_value(request, bound.name, value),
        }
        for bound in form.visible_fields()
        for value in request.GET.getlist(bound.name)
        if value
    ]
    names = [bound.name for bound in form.visible_fields()]
    return {"pills": pills, "target": target, "clear_url": with_query(request, **dict.fromkeys(names))}


def _words(form_field: Any, value: str) -> str:
    return str(dict(getattr(form_field, "choices", [])).get(value, value))


@register.inclusion_tag("_components/choice_pills.html", takes_context=True)
def choice_pills(
    context: template.Context,
    name: str,
    choices: Iterable[tuple[str, str, int | None]],
    *,
    target: str = "",
    chosen: str | None = None,
) -> dict[str, Any]:
    """One link for each (value, label, count); the value "" stands for all. `chosen` is what is shown, where
    that is not what the address says."""
    request: HttpRequest = context["request"]
    chosen = request.GET.get(name, "") if chosen is None else chosen
    pills = [
        {
            "label": label,
            "count": count,
            "url": with_query(request, **{name: value or None}),
            "current": value == chosen,
        }
        for value, label, count in choices
    ]
    return {"pills": pills, "target": target}


@register.inclusion_tag("_components/pages.html", takes_context=True)
def keyset_pages(
    context: template.Context,
    *,
    older: str | None = None,
    newer: str | None = None,
    newest_first: bool = True,
    note: str = "",
    label: str = "Pages",
    target: str = "",
) -> dict[str, Any]:
    """`older` and `newer` are the cursors after and before this page, or None; they go into `?cursor=`."""
    request: HttpRequest = context["request"]
    first, back, onward = ("Newest", "Newer", "Older") if newest_first else ("First", "Previous", "Next")
    return {
        "first": {"label": first, "url": with_query(request)} if request.GET.get("cursor") else None,
        "back": {"label": back, "url": with_query(request, cursor=newer) if newer else ""},
        "onward": {"label": onward, "url": with_query(request, cursor=older) if older else ""},
        "note": note,
        "label": label,
        "target": target,
    }


@register.inclusion_tag("_components/numbered_pages.html", takes_context=True)
def numbered_pages(
    context: template.Context, page: Page[Any], *, label: str = "Pages", target: str = ""
) -> dict[str, Any]:
    request: HttpRequest = context["request"]
    paginator = page.paginator
    shown = paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1)
    links = [
        {
            "label": place,
            "url": with_query(request, page=place) if isinstance(place, int) else "",
            "current": place == page.number,
        }
        for place in shown
    ]
    return {"page": page, "links": links, "total": paginator.count, "label": label, "target": target}


@register.simple_block_tag(takes_context=True)
def bulk_bar(
    context: template.Context, content: str, url: str, *, matching: int | Counted = 0, id: str = "bulk"
) -> SafeString:
    """The form that the boxes of a table belong to, with its buttons. The filters in force are sent along as
    `rule`, so that "all that match" means what the viewer saw."""
    request: HttpRequest = context["request"]
    given = {
        "content": content,
        "url": url,
        "everything": _everything(matching) if matching else "",
        "id": id,
        "rule": request.GET.urlencode(),
        "csrf_token": context.get("csrf_token"),
    }
    return render_to_string("_components/bulk_bar.html", given)


def _everything(matching: int | Counted) -> str:
    if isinstance(matching, Counted) and matching.is_more:
        return f"Apply to all that match, {matching}"
    return f"Apply to all {matching if isinstance(matching, Counted) else number(matching)} that match"


@register.simple_tag
def bulk_page_box(id: str = "bulk") -> SafeString:
    return format_html(
        '<input type="checkbox" form="{}" class="needs-script" data-bulk-page'
        ' aria-label="Choose every row of this page">',
        id,
    )


@register.simple_tag
def bulk_box(value: object, label: str, id: str = "bulk") -> SafeString:
    return format_html(
        '<input type="checkbox" form="{}" name="chosen" value="{}" data-bulk-row aria-label="Choose {}">',
        id,
        value,
        label,
    )
