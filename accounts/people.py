"""Accounts of people: made by managers and administrators, changed by their owners and administrators."""

from collections.abc import Mapping
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.urls import reverse

from accounts import zones
from accounts.models import Organisation, User
from work import decisions
from work.models import Mail

INVITATION = """{by} has made an account for you at Waybill{where}.

Your user name is {username}. Open this page, give the address that this mail came to, and set a password:

{url}
"""


class Impossible(Exception):
    """These values do not go together, or one of them does not exist."""


def add(*, username: str, email: str, organisation: Organisation | None, by: Any, why: str = "") -> User:
    """A person without a password: the mail tells how to set one. In the caller's transaction."""
    user = User(username=username, email=email)
    user.set_unusable_password()
    user.save()
    decisions.record(
        "person.added",
        by=by,
        kind="person",
        subject=user,
        label=username,
        organisation=organisation,
        why=why,
        after={"username": username},
    )
    where = f" for {organisation}" if organisation else ""
    text = INVITATION.format(
        by=by,
        where=where,
        username=username,
        url=settings.PUBLIC_BASE_URL + reverse("account_reset_password"),
    )
    Mail.objects.create(
        user=user,
        key=f"person.added:{user.pk}",
        subject=f"Your account at Waybill{where}"[:250],
        text=text,
        message_id=f"<person-added-{user.pk}@waybill>",
    )
    return user


def change(*, user: User, fields: Mapping[str, Any], by: Any, why: str = "") -> None:
    """Writes only the named fields; the trail says which changed, and their values but for the address.

    Raises Impossible.
    """
    fields = _with_what_follows(user, fields)
    before = {name: getattr(user, name) for name in fields}
    changed = {name: value for name, value in fields.items() if value != before[name]}
    if not changed:
        return
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(**changed)
        decisions.record(
            "person.changed",
            by=by,
            kind="person",
            subject=user,
            label=user.get_username(),
            why=why,
            before={name: _told(name, before[name]) for name in changed},
            after={name: _told(name, value) for name, value in changed.items()},
        )


def forget_second_factor(*, user: User, by: Any, why: str) -> bool:
    """For somebody who lost it, recovery codes and all. Returns whether there was one."""
    with transaction.atomic():
        removed, _ = Authenticator.objects.filter(user=user).delete()
        if removed:
            decisions.record(
                "person.second_factor_forgotten",
                by=by,
                kind="person",
                subject=user,
                label=user.get_username(),
                why=why,
            )
    return bool(removed)


def _with_what_follows(user: User, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """An administrator is an operator who may enter the Django admin; nobody else enters it."""
    if not fields.get("is_operator", True) and fields.get("is_superuser", user.is_superuser):
        raise Impossible("An administrator is an operator too: take both away, or only the higher one.")
    if fields.get("time_zone", "UTC") not in zones.known():
        raise Impossible(f"There is no time zone {fields['time_zone']}.")
    if "is_superuser" not in fields:
        return fields
    if fields["is_superuser"]:
        return {**fields, "is_staff": True, "is_operator": True}
    return {**fields, "is_staff": False}


def _told(name: str, value: Any) -> Any:
    return "(an address)" if name == "email" and value else value
