"""Who belongs to an organisation, and as what. Every change is a decision in the trail."""

from typing import Any

from django.db import transaction

from accounts import people, tokens
from accounts.models import ApiToken, Membership, Organisation, Role, User
from work import decisions
from work.failures import StateChanged


class AlreadyMember(Exception):
    """This person belongs to the organisation already."""


class LastManager(Exception):
    """An organisation keeps at least one manager; an operator may take even the last one away."""


def add(*, organisation: Organisation, user: User, role: str, by: Any, why: str = "") -> Membership:
    """Raises AlreadyMember, whatever the role."""
    with transaction.atomic():
        membership, made = Membership.objects.get_or_create(
            user=user, organisation=organisation, defaults={"role": role}
        )
        if not made:
            raise AlreadyMember(f"{user} is a member already, as {membership.role}.")
        _record("member.added", membership, by, why=why, after={"role": role})
    return membership


def invite(*, organisation: Organisation, email: str, role: str, by: Any) -> Membership:
    """Add the person with this address, with a new account and a mail about it where there is none."""
    with transaction.atomic():
        user = User.objects.filter(email__iexact=email).first()
        if user is None:
            user = people.add(username=email, email=email, organisation=organisation, by=by)
        return add(organisation=organisation, user=user, role=role, by=by)


def change_role(*, membership: Membership, role: str, by: Any, why: str = "") -> None:
    """Raises StateChanged when somebody changed it meanwhile, and LastManager."""
    if role == membership.role:
        return
    with transaction.atomic():
        _keep_a_manager(membership, by)
        moved = Membership.objects.filter(pk=membership.pk, role=membership.role).update(role=role)
        if not moved:
            found = Membership.objects.filter(pk=membership.pk).values_list("role", flat=True)
            raise StateChanged(found.first())
        _record(
            "member.changed", membership, by, why=why, before={"role": membership.role}, after={"role": role}
        )


def remove(*, membership: Membership, by: Any, why: str = "") -> None:
    """The person's tokens in this organisation are revoked with it. Raises StateChanged and LastManager."""
    with transaction.atomic():
        _keep_a_manager(membership, by)
        removed, _ = Membership.objects.filter(pk=membership.pk).delete()
        if not removed:
            raise StateChanged(None)
        held = ApiToken.objects.filter(
            user=membership.user_id, organisation=membership.organisation_id, revoked_at__isnull=True
        )
        for token in held:
            tokens.revoke(token=token, by=by, why="no longer a member")
        _record("member.removed", membership, by, why=why, before={"role": membership.role})


def _keep_a_manager(membership: Membership, by: Any) -> None:
    if membership.role != Role.MANAGER or getattr(by, "is_operator", False):
        return
    managers = Membership.objects.filter(organisation=membership.organisation_id, role=Role.MANAGER)
    if not managers.select_for_update().exclude(pk=membership.pk).exists():
        raise LastManager("This is the last manager. Make somebody else a manager first.")


def _record(what: str, membership: Membership, by: Any, **told: Any) -> None:
    decisions.record(
        what,
        by=by,
        kind="member",
        subject=membership.pk,
        label=membership.user.get_username(),
        organisation=membership.organisation_id,
        **told,
    )
