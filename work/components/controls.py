"""What one presses and fills in: buttons, form fields, the drop zone, dialogs, ids to copy."""

from typing import Any

from django import template
from django.forms import BaseForm, BoundField
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from work import wording

register = template.Library()


@register.simple_tag
def link_button(label: str, href: str, kind: str = "") -> SafeString:
    return format_html('<a class="button {}" href="{}">{}</a>', kind, href, label)


@register.inclusion_tag("_components/post_button.html", takes_context=True)
def post_button(
    context: template.Context, label: str, url: str, kind: str = "", *, target: str = "", **fields: Any
) -> dict[str, Any]:
    """A form of one button. `target` lets htmx put the answer there; other named values are sent along."""
    return {"label": label, "url": url, "kind": kind, "target": target, "fields": fields}


@register.inclusion_tag("_components/refused_button.html")
def refused_button(label: str, reason: str) -> dict[str, str]:
    return {"label": label, "reason": reason, "why_id": f"why-{slugify(label)}"}


@register.simple_block_tag(takes_context=True)
def confirm(
    context: template.Context,
    content: str,
    label: str,
    *,
    id: str,
    url: str,
    title: str,
    page: str = "",
    kind: str = "",
    act: str = "",
) -> SafeString:
    """A button that opens a dialog with a form to `url`; `page` asks the same without script."""
    given = {
        "content": content,
        "label": label,
        "id": id,
        "url": url,
        "title": title,
        "page": page or url,
        "kind": kind,
        "act": act or label.rstrip("…"),
        "csrf_token": context.get("csrf_token"),
    }
    return render_to_string("_components/confirm.html", given)


@register.inclusion_tag("_components/field.html")
def field(bound: BoundField) -> dict[str, Any]:
    return {"field": bound, "is_tick": bound.widget_type == "checkbox", "is_group": bound.use_fieldset}


@register.inclusion_tag("_components/form_errors.html")
def form_errors(form: BaseForm) -> dict[str, Any]:
    return {"form": form}


@register.inclusion_tag("_components/drop_zone.html")
def drop_zone(bound: BoundField, *, max_bytes: int | None = None) -> dict[str, Any]:
    """Stands in a form of enctype multipart/form-data; with `data-transfer` on the form its sending is shown.
    The form must carry a nonce, because after a broken connection people are told to send it again."""
    limit = wording.size(max_bytes)
    too_large = f"This file is larger than {limit}, the most that is accepted."
    return {"field": bound, "max_bytes": max_bytes, "limit": limit, "too_large": too_large}


@register.inclusion_tag("_components/copy_id.html")
def copy_id(value: object, *, short: int = 0) -> dict[str, str]:
    text = str(value)
    return {"value": text, "shown": f"{text[:short]}…" if short and len(text) > short else text}
