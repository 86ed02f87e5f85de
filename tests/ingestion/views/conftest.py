"""People of North and South who look at the pages, and what they are looking for."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import MembershipFactory, UserFactory

HTMX = {"HTTP_HX_REQUEST": "true"}


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def text_of(answer):
    return answer.content.decode()


@pytest.fixture
def as_manager(manager):
    return signed_in(manager)


@pytest.fixture
def as_uploader(north):
    return signed_in(MembershipFactory(organisation=north, user__first_name="Ulla").user)


@pytest.fixture
def as_operator(db):
    return signed_in(UserFactory(operator=True))


@pytest.fixture
def as_stranger(db):
    """A manager of another organisation."""
    return signed_in(MembershipFactory(organisation__slug="south", role="manager").user)


@pytest.fixture
def sent(process, stations):
    """Sends a file to North's stations and works on it: the upload with its verdict."""
    return lambda content, **how: process(content, into=stations, **how)


@pytest.fixture
def page_of():
    return lambda upload, name="upload", **more: reverse(name, kwargs={"upload_id": upload.pk, **more})
