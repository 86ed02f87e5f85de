import pytest

from tests.factories import MembershipFactory, OrganisationFactory, UserFactory


@pytest.fixture
def organisation(db):
    return OrganisationFactory(slug="north", title="North")


@pytest.fixture
def manager(organisation):
    return MembershipFactory(
        organisation=organisation, role="manager", user__username="manager", user__email="manager@example.org"
    ).user


@pytest.fixture
def uploader(organisation):
    return MembershipFactory(organisation=organisation, user__username="uploader").user


@pytest.fixture
def operator(db):
    return UserFactory(operator=True, username="operator")


@pytest.fixture
def stranger(db):
    """A manager of another organisation."""
    return MembershipFactory(organisation__slug="south", role="manager", user__username="stranger").user


@pytest.fixture
def signed_in(client):
    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in
