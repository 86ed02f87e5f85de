import pytest

from accounts import tokens
from accounts.models import Organisation
from accounts.principals import Principal

RIGHTS = ("read", "upload", "answer", "withdraw", "manage", "operate")


def rights(principal, organisation):
    return [right for right in RIGHTS if principal.can(right, organisation)]


def test_uploader_may_upload_and_not_manage(uploader, organisation):
    assert rights(Principal(uploader), organisation) == ["read", "upload", "answer", "withdraw"]


def test_manager_may_manage_own_organisation_only(manager, stranger, organisation):
    foreign = Organisation.objects.get(slug="south")

    assert rights(Principal(manager), organisation) == ["read", "upload", "answer", "withdraw", "manage"]
    assert rights(Principal(manager), foreign) == []


def test_operator_may_everything_everywhere(operator, organisation):
    assert rights(Principal(operator), organisation) == list(RIGHTS)
    assert Principal(operator).can("operate")


@pytest.mark.parametrize("role", ["uploader", "manager", "operator"])
def test_token_may_what_its_role_says(operator, organisation, role):
    token, _ = tokens.make(user=operator, organisation=organisation, role=role, title="t", by=operator)

    principal = Principal(operator, token)

    assert principal.can("upload", organisation)
    assert principal.can("manage", organisation) == (role != "uploader")
    assert principal.is_operator == (role == "operator")


def test_token_sees_its_organisation_only_even_of_an_operator(operator, organisation, stranger):
    token, _ = tokens.make(user=operator, organisation=organisation, role="operator", title="t", by=operator)

    assert list(Principal(operator, token).organisations()) == [organisation]
    assert not Principal(operator, token).can("read", Organisation.objects.get(slug="south"))


def test_token_loses_rights_that_its_person_lost(manager, organisation):
    token, _ = tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)
    manager.memberships.update(role="uploader")

    assert not Principal(manager, token).can("manage", organisation)


def test_label_names_person_and_token(manager, organisation):
    token, _ = tokens.make(
        user=manager, organisation=organisation, role="manager", title="nightly", by=manager
    )

    assert str(Principal(manager)) == "manager"
    assert str(Principal(manager, token)) == "token nightly of manager"
    assert Principal(manager, token).actor == f"token:{token.pk}"
