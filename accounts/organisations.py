"""Organisations (tenants): made and changed by administrators."""

import codecs
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts import zones
from accounts.models import Organisation
from work import decisions


class Impossible(Exception):
    """One of the values names something that does not exist."""


def add(*, slug: str, title: str, by: Any, why: str = "", **defaults: Any) -> Organisation:
    _check({"slug": slug, "title": title, **defaults})
    with transaction.atomic():
        organisation = Organisation.objects.create(slug=slug, title=title, **defaults)
        _record("organisation.added", organisation, by, why, {}, {"slug": slug, "title": title})
    return organisation


def change(*, organisation: Organisation, fields: Mapping[str, Any], by: Any, why: str) -> None:
    """Writes only the named fields. Raises Impossible, as `add` does."""
    _check(fields)
    before = {name: getattr(organisation, name) for name in fields}
    with transaction.atomic():
        Organisation.objects.filter(pk=organisation.pk).update(**fields)
        _record("organisation.changed", organisation, by, why, before, fields)


def _check(fields: Mapping[str, Any]) -> None:
    if fields.get("time_zone", "UTC") not in zones.known():
        raise Impossible(f"There is no time zone {fields['time_zone']}.")
    try:
        codecs.lookup(fields.get("default_encoding", "utf-8"))
    except LookupError:
        raise Impossible(f"There is no encoding {fields['default_encoding']}.") from None


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
