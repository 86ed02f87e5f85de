"""Mending of organisations, people and memberships; tokens can be looked at."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin

from accounts import members, organisations, people
from accounts.models import ApiToken, Membership, Organisation, User
from work.admin_base import MendingAdmin, ReadOnlyAdmin
from work.failures import StateChanged


@admin.register(Organisation)
class OrganisationAdmin(MendingAdmin):
    list_display = ("title", "slug", "locale", "time_zone", "created_at")
    search_fields = ("title", "slug")
    ordering = ("title",)
    open_fields = (
        "title", "default_encoding", "locale", "time_zone", "storage_limit_bytes",
        "uploads_in_progress_limit",
    )  # fmt: skip
    new_fields = ("slug", "title", "default_encoding", "locale", "time_zone")
    refusals = (StateChanged, organisations.Impossible)

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        organisations.change(organisation=row, fields=fields, by=by, why=why)

    def make(self, *, fields: Mapping[str, Any], by: Any, why: str) -> Organisation:
        return organisations.add(by=by, why=why, **fields)


@admin.register(User)
class UserAdmin(MendingAdmin):
    """Passwords are set by their owners through a mail, never here."""

    list_display = ("username", "email", "is_active", "is_operator", "is_superuser", "last_login")
    list_filter = ("is_active", "is_operator", "is_superuser")
    search_fields = ("username", "email", "first_name", "last_name")
    ordering = ("username",)
    hidden_fields = ("password",)
    open_fields = (
        "first_name", "last_name", "email", "is_active", "is_operator", "is_superuser", "time_zone",
        "mailing",
    )  # fmt: skip
    new_fields = ("username", "email")
    refusals = (StateChanged, people.Impossible)

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        people.change(user=row, fields=fields, by=by, why=why)

    def make(self, *, fields: Mapping[str, Any], by: Any, why: str) -> User:
        return people.add(organisation=None, by=by, why=why, **fields)


@admin.register(Membership)
class MembershipAdmin(MendingAdmin):
    list_display = ("user", "organisation", "role", "since")
    list_filter = ("role",)
    list_select_related = ("user", "organisation")
    search_fields = ("user__username", "organisation__title")
    raw_id_fields = ("user", "organisation")
    ordering = ("organisation__title", "user__username")
    open_fields = ("role",)
    new_fields = ("user", "organisation", "role")

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        members.change_role(membership=row, by=by, why=why, **fields)

    def make(self, *, fields: Mapping[str, Any], by: Any, why: str) -> Membership:
        return members.add(by=by, why=why, **fields)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("title", "hint", "user", "organisation", "role", "last_used_at", "revoked_at")
    list_select_related = ("user", "organisation")
    hidden_fields = ("hash",)
    ordering = ("-id",)
