import tempfile
from pathlib import Path

import pytest

from accounts.models import Organisation
from tests.crash.installation import Installation
from work import doorbell


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


@pytest.fixture
def organisation(installation):
    made, _ = Organisation.objects.get_or_create(slug="plain", defaults={"title": "Plain"})
    return made


@pytest.fixture
def ring(installation):
    return doorbell.ring
