"""Fixtures for every test. What only one app needs stands in that app's own conftest.py."""

import os
from collections.abc import Generator

import pytest

from work import heart


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item) -> None:
    """The heart of a test that ran leased work has a connection of its own, which would hold up the clean-up."""
    heart.the().stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test skips where a part it needs is missing. In CI nothing may be missing, so there it fails."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} did not run, and CI is set: {reason}"
    return report
