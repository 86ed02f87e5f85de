"""What makes a repeated request harmless."""

from django.db import models
from django.db.models.functions import Now


class IdempotencyKey(models.Model):
    """One accepted request. `actor` is the token or user with the endpoint; `fingerprint` is a hash of its
    content.

    Written in the transaction that makes `subject`; the loser of a race meets the constraint and answers
    with the
    winner's subject. Kept 7 days.
    """

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.CASCADE, related_name="+")
    actor = models.CharField(max_length=120)
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    subject = models.UUIDField()
    accepted_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "actor", "key"], name="one_request_per_idempotency_key"
            )
        ]
        indexes = [models.Index(fields=["accepted_at"], name="idempotency_age")]  # retention

    def __str__(self) -> str:
        return self.key
