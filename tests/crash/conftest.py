import os
import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from accounts.models import Organisation
from tests.crash.installation import Installation


@pytest.fixture(scope="session")
def whole_installation(django_db_blocker):
    folder = Path(tempfile.mkdtemp(prefix="waybill-crash-"))
    folder.chmod(0o755)
    made = Installation(folder)
    with django_db_blocker.unblock():
        try:
            made.start()
            yield made
        finally:
            made.end()


@pytest.fixture
def installation(whole_installation):
    """Both clusters complete and nothing chosen to be killed."""
    made = whole_installation
    made.choose()
    made.wait_until(
        lambda: made.ground.has("worker") and made.pipelines.has("worker", 3), seconds=30, what="clusters run"
    )
    yield made
    made.choose()


AFTER_COMMIT = re.compile(
    r"after_commit|(claim|finish|recovery|store|release|swap)\.after"
    r"|\.(finished|kept|noted|dropped)$"
    r"|\.(store_records|build_report|apply_changes|rebuild|run_job|deliver)\.after"
    r"|\.(check_everything|send|call|act_on_rows)\.after"
)
SOAK = bool(os.environ.get("SOAK"))
TIMES = 5 if SOAK else 1  # kills at each point


@pytest.fixture(scope="session")
def table():
    """How often the process was killed at each point; printed at the end."""
    return TABLE


def pytest_collection_modifyitems(config, items):
    """What takes long belongs to `make soak` alone; left out, since a skip says that something is missing."""
    if SOAK:
        return
    left_out = [item for item in items if item.name.startswith("test_soak_")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter):
    if TABLE.kills or TABLE.notes:
        terminalreporter.section("kills")
        for line in [*str(TABLE).splitlines(), *TABLE.notes]:
            terminalreporter.write_line(line)


class Table:
    def __init__(self):
        self.kills = Counter()
        self.notes = []

    def count(self, point, *, reached):
        assert reached, f"{point} was never reached"
        self.kills[point] += 1

    def missing(self, points, *, times):
        return [point for point in points if self.kills[point] < times]

    def __str__(self):
        lines = [f"{'killed at':<38}{'commit':<8}times"]
        for name, times in self.kills.items():
            lines.append(f"{name:<38}{'after' if AFTER_COMMIT.search(name) else 'before':<8}{times}")
        return "\n".join(lines)


TABLE = Table()


@pytest.fixture
def organisation(installation):
    made, _ = Organisation.objects.get_or_create(slug="plain", defaults={"title": "Plain"})
    return made
