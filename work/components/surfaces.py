"""What a page is laid out with: panels, regions for tables, facts, empty states, crumbs."""

from django import template
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from work.components.addresses import with_query

register = template.Library()


@register.simple_block_tag
def panel(
    content: str, title: str, *, note: str = "", id: str = "", flush: bool = False, tag: str = "section"
) -> SafeString:
    """`flush` leaves out the padding, for tables and lists that reach the edge."""
    given = {"content": content, "title": title, "note": note, "id": id, "flush": flush, "tag": tag}
    return render_to_string("_components/panel.html", given)


@register.simple_block_tag
def table_region(content: str, label: str, *, id: str = "") -> SafeString:
    return render_to_string("_components/table_region.html", {"content": content, "label": label, "id": id})


@register.simple_block_tag
def fact(content: str, term: str) -> SafeString:
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", term, content)


@register.simple_block_tag
def empty(content: str, title: str, *, href: str = "", label: str = "") -> SafeString:
    given = {"content": content, "title": title, "href": href, "label": label}
    return render_to_string("_components/empty.html", given)


@register.simple_tag
def crumb(label: str, url: str = "") -> SafeString:
    if url:
        return format_html('<li><a href="{}">{}</a></li>', url, label)
    return format_html("<li><span>{}</span></li>", label)


@register.inclusion_tag("_components/sort_head.html", takes_context=True)
def sort_head(
    context: template.Context, label: str, name: str, *, num: bool = False, target: str = ""
) -> dict[str, object]:
    """A column's head that orders by it, first downwards, then upwards; `sort` holds `-name` or `name`."""
    request: HttpRequest = context["request"]
    chosen = request.GET.get("sort", "")
    order = {name: "ascending", f"-{name}": "descending"}.get(chosen, "")
    url = with_query(request, sort=name if order == "descending" else f"-{name}")
    return {"label": label, "url": url, "order": order, "num": num, "target": target}
