"""Fixtures for every test. What only one app needs stands in that app's own conftest.py."""

import time

import pytest
from django.db import connection

from tests import flushing
from tests.in_ci import pytest_runtest_makereport
from work import heart

__all__ = ["pytest_runtest_makereport"]
flushing.use()

OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
END_OTHERS = OTHERS.replace("count(*)", "pg_terminate_backend(pid)")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item) -> None:
    """The heart of a test that ran leased work has a connection of its own, which would hold up the end."""
    heart.the().stop()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """A request that a closed browser has left behind may still be answered: it ends before the database
    does.
    """
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        deadline = time.monotonic() + 10
        cursor.execute(OTHERS)
        while cursor.fetchone() != (0,) and time.monotonic() < deadline:
            cursor.execute("SELECT pg_sleep(0.1)")
            cursor.execute(OTHERS)
        cursor.execute(END_OTHERS)
