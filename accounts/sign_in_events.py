"""What people do to their own way of signing in, as events. allauth does it, and tells by signals."""

from typing import Any

from allauth.account import signals as account_signals
from allauth.mfa import signals as mfa_signals
from django.db import transaction

from accounts.models import User
from work import outbox


def listen() -> None:
    account_signals.password_changed.connect(_password_changed)
    account_signals.password_reset.connect(_password_changed)
    mfa_signals.authenticator_added.connect(_factor_added)
    mfa_signals.authenticator_removed.connect(_factor_removed)


def _password_changed(user: User, **told: Any) -> None:
    _record("person.password_changed", user)


def _factor_added(user: User, authenticator: Any, **told: Any) -> None:
    _record("person.second_factor_added", user, kind=authenticator.type)


def _factor_removed(user: User, authenticator: Any, **told: Any) -> None:
    _record("person.second_factor_removed", user, kind=authenticator.type)


def _record(what: str, user: User, **payload: str) -> None:
    with transaction.atomic():
        outbox.record(what, subject=user, kind="person", label=user.get_username(), by=user, payload=payload)
