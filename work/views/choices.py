"""Choices that filters offer, and how a filter's words are read back."""

from typing import Any

from work import pipelines


def organisation_choices(principal: Any) -> list[tuple[str, str]]:
    """The organisations a person sees, with "every" first; the value is the slug, so that addresses read."""
    seen = principal.organisations().order_by("title").values_list("slug", "title")
    return [("", "Every organisation"), *seen]


def organisation_named(principal: Any, slug: str) -> Any:
    """The organisation of that slug, among those the person sees; None for none or an unknown one."""
    return principal.organisations().filter(slug=slug).first() if slug else None


def pipeline_choices() -> list[tuple[str, str]]:
    return [("", "Every pipeline"), *((each.name, each.title) for each in pipelines.every())]
