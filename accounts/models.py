"""Organisations (tenants), the people and programs in them, and their roles."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower, Now

from work.identifiers import uuid7


class Organisation(models.Model):
    """A tenant. The defaults apply to its datasets and files; the limits to what it stores and has in
    progress.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=150)
    default_encoding = models.CharField(max_length=20, default="cp1252")
    locale = models.CharField(max_length=10, default="en")
    time_zone = models.CharField(max_length=50, default="UTC")
    storage_limit_bytes = models.BigIntegerField(default=50 * 1024**3)
    uploads_in_progress_limit = models.PositiveIntegerField(default=500)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(storage_limit_bytes__gte=0), name="organisation_storage_limit_is_positive"
            )
        ]

    def __str__(self) -> str:
        return self.title


class User(AbstractUser):
    """A person. `is_operator` spans all organisations; an administrator (`is_superuser`) is one too."""

    class Mailing(models.TextChoices):
        AT_ONCE = "at_once"
        DAILY = "daily"
        NEVER = "never"

    is_operator = models.BooleanField(default=False)
    time_zone = models.CharField(max_length=50, default="UTC")
    mailing = models.CharField(max_length=10, choices=Mailing, default=Mailing.AT_ONCE)
    organisations = models.ManyToManyField(Organisation, through="Membership", related_name="users")

    REQUIRED_FIELDS: ClassVar[list[str]] = ["email"]

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("email"), condition=~Q(email=""), name="user_email_once"),
            models.CheckConstraint(
                condition=Q(is_superuser=False) | Q(is_operator=True, is_staff=True),
                name="administrator_is_operator_and_staff",
            ),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.is_superuser:  # createsuperuser knows nothing of operators
            self.is_operator = self.is_staff = True
        super().save(*args, **kwargs)


class Role(models.TextChoices):
    """What a member may do in one organisation. Operators need no membership."""

    UPLOADER = "uploader"
    MANAGER = "manager"


RANKS: dict[str, int] = {
    Role.UPLOADER: 1,
    Role.MANAGER: 2,
    "operator": 3,
}  # each may what those before may


class Membership(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    since = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "organisation"], name="one_membership_per_organisation")
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} of {self.organisation}"


class ApiToken(models.Model):
    """A program's key: only its hash is kept. `role` is a Role, or `operator` for an operator's own token."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    role = models.CharField(max_length=10)
    title = models.CharField(max_length=100)
    hash = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role__in=["uploader", "manager", "operator"]), name="token_role_is_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.hint}…)"
