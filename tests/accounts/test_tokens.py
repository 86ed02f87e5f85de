import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, Organisation
from work.failures import StateChanged
from work.models import Decision, Event


@pytest.fixture
def made(manager, organisation):
    return tokens.make(user=manager, organisation=organisation, role="manager", title="nightly", by=manager)


def test_token_is_kept_as_a_hash_only(made):
    token, secret = made

    row = ApiToken.objects.values().get()

    assert tokens.find(secret) == token
    assert not any(secret in str(value) for value in row.values())


def test_making_a_token_is_a_decision_without_the_secret(made):
    _, secret = made

    decision, event = Decision.objects.get(), Event.objects.get()

    assert (decision.what, decision.by_label, event.type) == ("token.made", "manager", "token.made")
    assert secret not in f"{decision.after} {event.payload}"


def test_revoked_token_is_not_found_and_cannot_be_revoked_again(made, manager):
    token, secret = made
    tokens.revoke(token=token, by=manager)

    assert tokens.find(secret) is None
    with pytest.raises(StateChanged):
        tokens.revoke(token=token, by=manager)


def test_expired_token_is_not_found(made):
    _, secret = made
    ApiToken.objects.update(expires_at=timezone.now() - dt.timedelta(seconds=1))

    assert tokens.find(secret) is None


def test_token_of_a_former_member_is_not_found(made, manager):
    _, secret = made
    manager.memberships.all().delete()

    assert tokens.find(secret) is None


def test_token_of_a_closed_account_is_not_found(made, manager):
    _, secret = made
    manager.is_active = False
    manager.save()

    assert tokens.find(secret) is None


def test_token_beyond_the_own_role_is_refused(uploader, organisation):
    with pytest.raises(tokens.RoleTooHigh):
        tokens.make(user=uploader, organisation=organisation, role="manager", title="t", by=uploader)


def test_use_is_noted_once_a_minute(made):
    token, secret = made
    tokens.note_use(token)
    first = ApiToken.objects.get().last_used_at

    tokens.note_use(tokens.find(secret))
    assert ApiToken.objects.get().last_used_at == first

    ApiToken.objects.update(last_used_at=first - dt.timedelta(minutes=2))
    tokens.note_use(tokens.find(secret))
    assert ApiToken.objects.get().last_used_at >= first


def test_make_token_prints_the_token_alone_on_the_last_line(manager, organisation):
    out = io.StringIO()

    call_command("make_token", "manager", organisation="north", stdout=out)

    assert tokens.find(out.getvalue().splitlines()[-1]).role == "manager"


def test_make_token_says_what_is_missing(manager, organisation):
    with pytest.raises(CommandError, match="no organisation nowhere"):
        call_command("make_token", "manager", organisation="nowhere")
    with pytest.raises(CommandError, match="no active user nobody"):
        call_command("make_token", "nobody", organisation="north")
    with pytest.raises(CommandError, match="no role in North"):
        call_command("make_token", "manager", organisation="north", role="operator")


@pytest.mark.parametrize("given", [{"days": -3}, {"days": 0}, {"days": 10**11}, {"title": "x" * 101}])
def test_make_token_refuses_what_no_token_can_have(manager, given):
    with pytest.raises(CommandError, match=f"--{next(iter(given))}"):
        call_command("make_token", "manager", organisation="north", **given)


def test_make_token_for_a_stranger_says_that_there_is_no_role(manager):
    Organisation.objects.create(slug="south", title="South")

    with pytest.raises(CommandError, match="manager has no role in South"):
        call_command("make_token", "manager", organisation="south")
