"""The reference data service, run for a test, and the data service of ours that calls it."""

import json
import threading

import pytest

from publishing.data_services.http import HttpDataService
from publishing.data_services.protocol import ExportRequest
from publishing.formats import FORMATS
from publishing.models import ExternalService
from publishing.reference_service.server import Service

ROWS = [{"id": "a", "name": "Ærø"}, {"id": "b", "name": "<Bø> & co"}]
FOLDER = "north/exports/k-1/"


def silent(done, total, unit):
    pass


def asked(source, key="k-1"):
    return ExportRequest(key, source, tuple(FORMATS))


@pytest.fixture
def reference(tmp_path):
    service = Service(tmp_path / "service", token="a secret", hangs=30.0)
    (tmp_path / "service" / "sources" / "peaks.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield service
    service.shutdown()
    service.server_close()
    thread.join()


@pytest.fixture
def over_http(reference, settings):
    settings.OUTBOUND_ALLOW = ["127.0.0.0/8"]
    return HttpDataService(
        ExternalService(url=reference.url, token="a secret"), seconds=0.5, fetch_seconds=0.5
    )
