"""A repeated request is harmless: the key and what it made are written in one transaction."""

import hashlib
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from work.models import IdempotencyKey
from work.problems import Problem

LONGEST_KEY = 200


def once(
    *, organisation: Any, actor: str, key: str, fingerprint: str, make: Callable[[], UUID]
) -> tuple[UUID, bool]:
    """Run `make()`, which returns the id of what it made, unless this key has made something already.

    Returns (subject id, whether it was made before). Requests with the same key wait for each other, and the
    later one gets the first one's subject; what `make` raises leaves no key behind. The same key with
    another `fingerprint` raises Problem 422. An empty key always makes anew.
    """
    if not key:
        with transaction.atomic():
            return make(), False
    if len(key) > LONGEST_KEY or not key.isprintable():
        raise Problem(
            422,
            "idempotency_key_malformed",
            f"An Idempotency-Key is at most {LONGEST_KEY} printable characters.",
        )
    with transaction.atomic():
        _wait_for_others(organisation, actor, key)
        found = IdempotencyKey.objects.filter(organisation=organisation, actor=actor, key=key).first()
        if found is not None:
            return _first_subject(found, fingerprint), True
        subject = make()
        IdempotencyKey.objects.create(
            organisation=organisation, actor=actor, key=key, fingerprint=fingerprint, subject=subject
        )
        return subject, False


def fingerprint(*parts: object) -> str:
    """A hash of what the request asks for."""
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()


def _wait_for_others(organisation: Any, actor: str, key: str) -> None:
    """A lock of this transaction on the key's hash: the loser of a race does no work in vain."""
    name = f"{getattr(organisation, 'pk', organisation)}\x1f{actor}\x1f{key}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def _first_subject(found: IdempotencyKey, fingerprint: str) -> UUID:
    if found.fingerprint != fingerprint:
        raise Problem(
            422,
            "idempotency_key_reused",
            "This Idempotency-Key came before with other content.",
            "Send a fresh key with new content, and the same content with the same key.",
            first_id=str(found.subject),
        )
    return found.subject
