from types import SimpleNamespace

import pytest

from accounts import scoping, tokens
from accounts.principals import Principal
from tests.factories import MembershipFactory
from work.problems import Problem


def by(user, token=None):
    return SimpleNamespace(principal=Principal(user, token))


def test_only_organisation_of_a_person_is_meant(manager, organisation):
    assert scoping.organisation_of(by(manager)) == organisation


def test_token_means_its_own(manager, organisation):
    MembershipFactory(user=manager, role="manager")
    token, _ = tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)

    assert scoping.organisation_of(by(manager, token)) == organisation
    assert scoping.organisation_of(by(manager, token), "north") == organisation


def test_token_cannot_name_another(manager, organisation):
    other = MembershipFactory(user=manager, role="manager").organisation
    token, _ = tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)

    with pytest.raises(Problem) as refused:
        scoping.organisation_of(by(manager, token), other.slug)

    assert refused.value.status == 404


def test_operator_must_name_one(operator, organisation):
    with pytest.raises(Problem) as refused:
        scoping.organisation_of(by(operator))

    assert (refused.value.status, refused.value.code) == (400, "organisation_missing")
    assert scoping.organisation_of(by(operator), "north") == organisation


def test_member_of_two_must_name_one(manager):
    MembershipFactory(user=manager)

    with pytest.raises(Problem) as refused:
        scoping.organisation_of(by(manager))

    assert refused.value.code == "organisation_ambiguous"


def test_foreign_one_is_not_found(stranger, organisation):
    with pytest.raises(Problem) as refused:
        scoping.organisation_of(by(stranger), "north")

    assert refused.value.code == "organisation_not_found"


def test_right_that_is_missing_is_a_problem(uploader, organisation):
    scoping.require(by(uploader), "upload", organisation)

    with pytest.raises(Problem) as refused:
        scoping.require(by(uploader), "manage", organisation)

    assert refused.value.status == 403
