"""Our own data service: idempotent by key, deaf to late starts, never two sets of files for one export."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from publishing.data_services.local import LocalDataService
from publishing.data_services.protocol import ExportLost, ExportRefused, ExportRequest, ExportState
from publishing.formats import FORMATS
from publishing.models import LocalExport
from work import storage

pytestmark = pytest.mark.django_db(transaction=True)

ROW = {"id": "a", "name": "Kebnekaise", "height (m)": 2096, "open": True, "2020": 1}


def silent(done, total, unit):
    pass


def request(dataset, key="k-1"):
    return ExportRequest(key, str(dataset.pk), tuple(FORMATS))


def test_the_second_start_is_given_the_first_export(peaks, store):
    store(ROW)
    first = LocalDataService().start(request(peaks), silent)
    store({**ROW, "id": "b"})
    again = LocalDataService().start(request(peaks), silent)
    assert again == first
    assert first.state == ExportState.FINISHED
    assert {file.format: file.records for file in first.files} == dict.fromkeys(FORMATS, 1)
    assert first.data_version == "7"


def test_fetching_says_where_each_file_lies(peaks, store):
    store(ROW)
    service = LocalDataService()
    for file in service.start(request(peaks), silent).files:
        fetched = service.fetch("k-1", file, "unused", silent)
        assert storage.files().size(fetched.storage_key) == file.size
        assert fetched.storage_key.startswith(storage.export_folder(peaks.organisation.slug, "k-1"))


def test_a_file_that_is_gone_asks_for_a_new_round(peaks, store):
    store(ROW)
    service = LocalDataService()
    file = service.start(request(peaks), silent).files[0]
    storage.files().delete(service.fetch("k-1", file, "unused", silent).storage_key)
    with pytest.raises(ExportLost, match="export_corrupt"):
        service.fetch("k-1", file, "unused", silent)


def test_a_deleted_export_refuses_a_late_start(peaks, store):
    store(ROW)
    service = LocalDataService()
    service.start(request(peaks), silent)
    service.delete("k-1")
    service.delete("k-1")
    service.delete("never-heard-of")
    assert list(storage.files().keys(storage.export_folder(peaks.organisation.slug, "k-1"))) == []
    with pytest.raises(ExportRefused, match="export_deleted"):
        service.start(request(peaks), silent)
    with pytest.raises(ExportLost, match="export_unknown"):
        service.status("k-1")


def test_a_late_worker_overwrites_nothing_and_leaves_nothing(peaks, store):
    """It began before the records changed, and finishes after another worker made the export anew."""
    store(ROW)
    service = LocalDataService()
    others = []

    def overtaken(done, total, unit):
        if not others:
            others.append("now")
            others.append(elsewhere(lambda: finish_with_another_record(peaks, store)))

    status = service.start(request(peaks), overtaken)
    assert status == others[1]
    kept = {each["storage_key"] for each in LocalExport.objects.get().files}
    assert set(storage.files().keys(storage.export_folder(peaks.organisation.slug, "k-1"))) == kept


def finish_with_another_record(dataset, store):
    store({**ROW, "id": "b"})
    return LocalDataService().start(request(dataset), silent)


def elsewhere(work):
    """In a thread, so on a connection of its own."""

    def run():
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def test_a_dataset_that_is_not_ours_is_refused(db):
    with pytest.raises(ExportRefused, match="export_without_dataset"):
        LocalDataService().start(ExportRequest("k", str(uuid.uuid4()), tuple(FORMATS)), silent)
