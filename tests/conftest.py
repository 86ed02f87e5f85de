"""Fixtures for every test. What only one app needs stands in that app's own conftest.py."""

import pytest

from tests.in_ci import pytest_runtest_makereport
from work import heart

__all__ = ["pytest_runtest_makereport"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item) -> None:
    """The heart of a test that ran leased work has a connection of its own, which would hold up the end."""
    heart.the().stop()
