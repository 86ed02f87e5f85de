"""Organisations (tenants): made and changed by administrators."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.models import Organisation
from work import decisions


def add(*, slug: str, title: str, by: Any, why: str = "", **defaults: Any) -> Organisation:
    with transaction.atomic():
        organisation = Organisation.objects.create(slug=slug, title=title, **defaults)
        _record("organisation.added", organisation, by, why, {}, {"slug": slug, "title": title})
    return organisation


def change(*, organisation: Organisation, fields: Mapping[str, Any], by: Any, why: str) -> None:
    """Writes only the named fields."""
    before = {name: getattr(organisation, name) for name in fields}
    with transaction.atomic():
        Organisation.objects.filter(pk=organisation.pk).update(**fields)
        _record("organisation.changed", organisation, by, why, before, fields)


def _record(
    what: str,
    organisation: Organisation,
    by: Any,
    why: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    decisions.record(
        what,
        by=by,
        kind="organisation",
        subject=organisation,
        label=organisation.title,
        organisation=organisation,
        why=why,
        before=before,
        after=after,
    )
