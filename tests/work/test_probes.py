import threading
import uuid

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from work import probes, storage
from work.models import Canary, Worker
from work.storage_folder import FolderFiles

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker_lives(db):
    """The heart of a test that ran leased work leaves its row behind, past that test's transaction."""
    Worker.objects.all().delete()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "files", lambda: FolderFiles(tmp_path / "files"))
    return tmp_path / "files"


def alive(cluster, **columns):
    Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label="host:1", **columns)
    Canary.objects.update_or_create(cluster=cluster, defaults={"passed_at": Now()})


def test_readiness_without_workers_is_degraded_but_ready(folder):
    ready = probes.readiness()

    assert ready.is_ready
    assert ready.status == "degraded"
    assert ready.parts == {"database": "ok", "storage": "ok", "ground": "silent", "pipelines": "silent"}


def test_readiness_with_workers_is_ready(folder):
    alive("ground")
    alive("pipelines", busy_since=Now(), busy_with="upload")

    ready = probes.readiness()

    assert ready.status == "ready"
    assert ready.parts["pipelines"] == "busy"


def test_readiness_without_storage_is_unavailable(folder):
    folder.write_text("a file stands where the folder should be")

    ready = probes.readiness()

    assert (ready.is_ready, ready.status) == (False, "unavailable")
    assert ready.parts["storage"] == "unavailable"


def test_readiness_with_too_little_room_is_unavailable(folder, settings, caplog):
    settings.STORAGE_FREE_BYTES = 1 << 60

    ready = probes.readiness()

    assert (ready.is_ready, ready.parts["storage"]) == (False, "unavailable")
    assert "The storage is full, or nearly so." in caplog.text


def test_readiness_when_the_store_does_not_answer(monkeypatch, folder):
    monkeypatch.setattr(probes, "PATIENCE_MS", 50)
    answers = threading.Event()
    monkeypatch.setattr(storage, "files", answers.wait)

    ready = probes.readiness()
    answers.set()

    assert ready.parts["storage"] == "unavailable"


def test_readiness_without_database_is_unavailable(monkeypatch, folder):
    def away():
        raise OperationalError("the server is away")

    monkeypatch.setattr(probes, "database_answers", away)

    ready = probes.readiness()

    assert (ready.status, ready.parts["ground"]) == ("unavailable", "unknown")


def test_a_busy_cluster_is_at_work(folder):
    alive("ground")
    alive("pipelines", busy_since=Now(), busy_with="upload")

    assert probes.readiness().is_at_work


@pytest.mark.parametrize("waits", ["hung", "silent"])
def test_a_cluster_that_takes_nothing_up_is_not_at_work(folder, waits):
    alive("ground")
    if waits == "hung":
        alive("pipelines")
        Canary.objects.filter(cluster="pipelines").update(
            waiting_since=Now() - probes.health.dt.timedelta(hours=1)
        )

    ready = probes.readiness()

    assert ready.parts["pipelines"] == waits
    assert (ready.is_ready, ready.is_at_work) == (True, False)
