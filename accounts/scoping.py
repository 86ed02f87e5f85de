"""Which organisation a request is about: slugs of datasets are unique only within one."""

from typing import Any

from django.shortcuts import get_object_or_404

from accounts.models import Organisation
from accounts.principals import Principal
from work.problems import Problem


def organisation_of(request: Any, slug: str | None = None) -> Organisation:
    """A token's own; else the one named by `?organisation=`; else the only one of the person signed in.

    Raises Problem 400 when none or several would fit, and 404 for one that the caller may not see.
    """
    principal: Principal = request.principal
    if principal.token is not None:
        if slug and slug != principal.token.organisation.slug:
            raise _not_found(slug)
        return principal.token.organisation
    if slug:
        named = principal.organisations().filter(slug=slug).first()
        if named is None:
            raise _not_found(slug)
        return named
    own = list(Organisation.objects.filter(pk__in=principal.roles)[:2])
    if len(own) == 1:
        return own[0]
    raise Problem(
        400,
        "organisation_ambiguous" if own else "organisation_missing",
        "You may act for several organisations." if own else "It is not known which organisation is meant.",
        "Name one: ?organisation=slug.",
    )


def chosen(request: Any) -> Organisation | None:
    """For pages: the one in the address (404 if foreign), else the viewer's only one, else None: ask."""
    seen = request.principal.organisations()
    if slug := request.GET.get("organisation", ""):
        return get_object_or_404(seen, slug=slug)
    first = list(seen[:2])
    return first[0] if len(first) == 1 else None


def require(request: Any, right: str, organisation: Organisation) -> None:
    """Raises Problem 403 unless the caller has the right there (see `Principal.can`)."""
    if not request.principal.can(right, organisation):
        raise Problem(
            403,
            "not_allowed",
            f"Your role in {organisation.title} does not allow this.",
            "Ask a manager of the organisation.",
        )


def _not_found(slug: str) -> Problem:
    return Problem(404, "organisation_not_found", f"There is no organisation {slug[:60]} that you may see.")
