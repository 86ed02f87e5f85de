"""Every operation against the document, over WSGI on real PostgreSQL: valid and invalid requests alike."""

import json
import logging

import pytest
import schemathesis
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck
from hypothesis import settings as examples
from schemathesis.specs.openapi.checks import ignored_auth

from config.api import api
from config.wsgi import application
from ingestion.models import RowError, Upload
from tests.access.world import make_world
from tests.api.schemathesis_requests import aim
from tests.factories import DatasetFactory

CONFIG = schemathesis.Config.from_dict(
    {
        "seed": 20261130,
        # 428 is the one status for a precondition that is missing (RFC 6585); the check knows it not.
        "checks": {"missing_required_header": {"expected-statuses": [400, 422, 428]}},
        "generation": {"deterministic": True, "mode": "all", "max-examples": 20, "no-shrink": True},
    }
)
# Asking again without a token and with a wrong one doubles the requests, and whoever is refused is refused
# before the request is read: the first requests of an operation tell all of it.
ASKED_WITHOUT_TOKEN = 10


def served(environ, start_response):
    """As a server does: the answer is closed once it is sent, which closes the files of the request."""
    answer = application(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


schema = schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema())), config=CONFIG)
schema.app = served


@pytest.fixture
def world(db, monkeypatch):
    monkeypatch.setattr(settings, "API_RATE_PER_MINUTE", 1_000_000)
    logging.disable(logging.WARNING)  # thousands of refusals are meant here
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)  # it would end the test's transaction
    yield with_more(make_world())
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    logging.disable(logging.NOTSET)


def with_more(world):
    """Errors to list, and a dataset whose key may still change: it has no records."""
    world.empty = DatasetFactory(organisation=world.north)
    found = {"column": "B", "header": "amount", "cell": "B2", "value": "x", "code": "not_a_number"}
    errors = [found | {"message": "Not a number.", "remedy": "Write digits."}]
    for row in (2, 3):
        RowError.objects.create(
            upload=world.verdict, run=world.verdict.run, sheet="a", row=row, faults=errors
        )
    refused = {"refused": 2, "rows_read": 2, "error_count": 2, "failure_code": "every_row_refused"}
    Upload.objects.filter(pk=world.verdict.pk).update(**refused)
    return world


@pytest.fixture
def statuses(world):
    """Which statuses the operation answered with: a proof that only ever saw refusals proves little."""
    seen = []
    yield seen
    assert {200, 201, 202} & set(seen), f"only {sorted(set(seen))}"


def proof_of(operation):
    only = schema.include(method=operation.method, path=operation.path)

    # Each request is rolled back, so the world that the fixture made once serves all of them.
    @only.parametrize()
    @examples(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def proof(case, world, statuses):
        aim(case, world)
        with transaction.atomic():
            role = "operator" if "/organisations/" in case.path else "manager"
            response = case.call_and_validate(
                headers={"Authorization": f"Bearer {world.secrets[role]}"},
                excluded_checks=[ignored_auth] if len(statuses) >= ASKED_WITHOUT_TOKEN else [],
            )
            transaction.set_rollback(True)
        statuses.append(response.status_code)

    return proof


# One test each, so that two processes can share them.
for found in schema.get_all_operations():
    globals()[f"test_operation[{found.ok().label}]"] = proof_of(found.ok())
