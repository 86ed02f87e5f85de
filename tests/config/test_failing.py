import contextlib
import errno

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import OperationalError, connection
from django.test import Client

from ingestion.models import Upload
from tests.factories import DatasetFactory, MembershipFactory, UserFactory
from work.models import Event, IdempotencyKey
from work.storage_folder import FolderFiles


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


@pytest.fixture
def full_disk(monkeypatch):
    """The kernel's own answer for a full disk."""

    @contextlib.contextmanager
    def temporary(files):
        with open("/dev/full", "wb", buffering=0) as file:  # noqa: PTH123 (a device)
            yield file

    monkeypatch.setattr(FolderFiles, "_temporary", temporary)


@pytest.fixture
def manager(db):
    return MembershipFactory(organisation__slug="north", role="manager").user


@pytest.fixture
def send(manager):
    """A file by the form, or by the API."""
    DatasetFactory(organisation=manager.organisations.get(), slug="stations")
    client = Client(raise_request_exception=False)
    client.force_login(manager)

    def send(address):
        file = SimpleUploadedFile("stations.csv", b"id,amount\na,1\n")
        return client.post(address, {"dataset": "stations", "file": file})

    return send


def test_full_disk_accepts_nothing_and_says_so(send, full_disk):
    told = send("/api/v1/uploads")

    assert (told.status_code, told["Retry-After"], told.json()["code"]) == (503, "60", "storage_unavailable")
    assert (Upload.objects.count(), Event.objects.count(), IdempotencyKey.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_disk_that_is_full_while_the_request_is_read(send, monkeypatch, number):
    def refuse(self, raw_data, start):
        raise OSError(number, "No space left on device")

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", refuse)

    told = send("/api/v1/uploads")
    page = send("/uploads/new/")

    assert (told.status_code, told.json()["code"]) == (503, "storage_unavailable")
    assert (page.status_code, page["Retry-After"]) == (503, "60")
    assert "it was not accepted" in page.content.decode()
