import pytest

from accounts import tokens
from tests.factories import MembershipFactory


@pytest.fixture
def manager(db):
    return MembershipFactory(
        organisation__slug="north", organisation__title="North", role="manager", user__username="manager"
    ).user


@pytest.fixture
def organisation(manager):
    return manager.organisations.get()


@pytest.fixture
def secret(manager, organisation):
    return tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)[1]


@pytest.fixture
def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}
