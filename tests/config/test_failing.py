import pytest
from django.db import OperationalError, connection
from django.test import Client

from tests.factories import UserFactory


@pytest.fixture
def answer(db):
    """What an operator's browser and programs are told."""
    client = Client(raise_request_exception=False)
    client.force_login(UserFactory(operator=True))
    return client.get


@pytest.fixture
def database_away():
    def refuse(execute, sql, params, many, context):
        raise OperationalError("the database system is starting up")

    with connection.execute_wrapper(refuse):
        yield


def test_page_says_that_the_database_does_not_answer(answer, database_away):
    page = answer("/uploads/")

    assert (page.status_code, page["Retry-After"]) == (503, "10")
    assert "The database does not answer at the moment" in page.content.decode()


def test_programs_are_told_to_send_it_again(answer, database_away):
    told = answer("/api/v1/uploads")

    assert (told.status_code, told["Retry-After"]) == (503, "10")
    assert told["Content-Type"] == "application/problem+json"
    assert told.json()["code"] == "database_unavailable"


@pytest.mark.parametrize(
    "address",
    [
        "/uploads/?dataset=%00",
        "/uploads/new/?dataset=%00",
        "/events/?type=%00",
        "/failures/?pipeline=%00",
        "/members/?organisation=%00",
        "/attention/?kind=%00",
    ],
)
def test_address_with_a_nul_is_a_bad_request(answer, address):
    assert answer(address).status_code == 400
