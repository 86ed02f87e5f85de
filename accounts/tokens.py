"""API tokens: only a hash is kept, the token itself is shown once."""

import datetime as dt
import hashlib
import secrets
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import RANKS, ApiToken, Membership, Organisation, User
from work import decisions
from work.failures import StateChanged

PREFIX = "wb_"
USE_IS_NOTED_EVERY = dt.timedelta(minutes=1)


class RoleTooHigh(Exception):
    """A token never may more than the person it belongs to."""


def make(
    *,
    user: User,
    organisation: Organisation,
    role: str,
    title: str,
    by: Any,
    expires_at: dt.datetime | None = None,
) -> tuple[ApiToken, str]:
    """Returns the row and the token in clear, which can never be read again. Raises RoleTooHigh."""
    highest = highest_role(user, organisation)
    if not highest:
        raise RoleTooHigh(f"{user} has no role in {organisation}.")
    if RANKS[role] > RANKS[highest]:
        raise RoleTooHigh(f"{user} has no role in {organisation} that allows a token of role {role}.")
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            organisation=organisation,
            user=user,
            role=role,
            title=title,
            hash=_hash(secret),
            hint=f"{secret[:7]}…",
            expires_at=expires_at,
        )
        decisions.record(
            "token.made",
            by=by,
            kind="token",
            subject=token,
            label=title,
            organisation=organisation,
            after={"role": role, "user": user.get_username(), "expires_at": _text(expires_at)},
        )
    return token, secret


def revoke(*, token: ApiToken, by: Any, why: str = "") -> None:
    """Raises StateChanged when somebody revoked it before."""
    person = by if isinstance(by, User) else getattr(by, "user", None)
    with transaction.atomic():
        moved = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(
            revoked_at=Now(), revoked_by=person
        )
        if not moved:
            raise StateChanged("revoked")
        decisions.record(
            "token.revoked",
            by=by,
            kind="token",
            subject=token,
            label=token.title,
            organisation=token.organisation_id,
            why=why,
            before={"role": token.role},
        )


def find(secret: str) -> ApiToken | None:
    """The live token; None when it is unknown, expired or revoked, or its person left."""
    token = live().filter(hash=_hash(secret)).select_related("user", "organisation").first()
    if token is None or not highest_role(token.user, token.organisation):
        return None
    return token


def live() -> QuerySet[ApiToken]:
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    return ApiToken.objects.filter(unexpired, revoked_at__isnull=True, user__is_active=True)


def highest_role(user: User, organisation: Organisation) -> str:
    """What the person is there; empty for a stranger."""
    if user.is_operator:
        return "operator"
    own = Membership.objects.filter(user=user, organisation=organisation).values_list("role", flat=True)
    return own.first() or ""


def note_use(token: ApiToken) -> None:
    """At most one write a minute, by whichever process comes first."""
    if token.last_used_at and timezone.now() - token.last_used_at < USE_IS_NOTED_EVERY:
        return
    ApiToken.objects.filter(pk=token.pk).filter(
        Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - USE_IS_NOTED_EVERY)
    ).update(last_used_at=Now())


def _hash(secret: str) -> str:
    """A plain hash suffices: the token is 256 bits of chance, not a password."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _text(moment: dt.datetime | None) -> str | None:
    return moment.isoformat() if moment else None
