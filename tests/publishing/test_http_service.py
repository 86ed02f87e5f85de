"""What goes wrong at a service of somebody else, each fault by the reference service over real HTTP."""

import pytest

from publishing.data_services import http
from publishing.data_services.http import HttpDataService
from publishing.data_services.protocol import (
    ExportLost,
    ExportRefused,
    ExportState,
    ServiceUnavailable,
)
from publishing.models import ExternalService
from publishing.reference_service.faults import FAULTS
from tests.publishing.reference import FOLDER, asked, silent
from work import storage

TEMPORARY = {
    "unavailable": http.FAILING, "overloaded": http.OVERLOADED, "malformed": http.NOT_UNDERSTOOD,
    "hangs": http.UNREACHABLE, "broken_off": http.UNREACHABLE, "half": http.UNREACHABLE,
    "longer": http.FILE_DIFFERS, "other_bytes": http.FILE_DIFFERS,
}  # fmt: skip


def call(service, name, file=None):
    match name:
        case "start":
            return service.start(asked("peaks"), silent)
        case "status":
            return service.status("k-1")
        case "fetch":
            return service.fetch("k-1", file, f"{FOLDER}peaks.csv", silent)
        case _:
            return service.delete("k-1")


@pytest.mark.parametrize(
    ("name", "fault"),
    [(name, fault) for name, faults in FAULTS.items() for fault in faults if fault in TEMPORARY],
)
def test_a_passing_fault_is_tried_again_and_then_works(over_http, reference, name, fault):
    file = over_http.start(asked("peaks"), silent).files[0]
    reference.faults.set({name: [fault]})
    with pytest.raises(ServiceUnavailable) as failed:
        call(over_http, name, file)
    assert failed.value.code == TEMPORARY[fault]
    assert not list(storage.files().keys(FOLDER))
    call(over_http, name, file)
    assert reference.faults.counted == {f"{name} {fault}": 1}


@pytest.mark.parametrize(("name", "fault"), [("status", "forgotten"), ("fetch", "forgotten")])
def test_an_export_that_was_forgotten_is_lost(over_http, reference, name, fault):
    file = over_http.start(asked("peaks"), silent).files[0]
    reference.faults.set({name: [fault]})
    with pytest.raises(ExportLost, match="export_unknown"):
        call(over_http, name, file)


def test_an_export_that_failed_says_so(over_http, reference):
    over_http.start(asked("peaks"), silent)
    reference.faults.set({"status": ["failed"]})
    status = over_http.status("k-1")
    assert (status.state, status.code) == (ExportState.FAILED, "out_of_memory")


def test_an_export_under_way_says_how_far_it_is_and_when_to_ask(over_http, reference):
    reference.exports.seconds = 3600.0
    status = over_http.start(asked("peaks"), silent)
    assert (status.state, status.total, status.unit, status.again_in) == (ExportState.RUNNING, 100, "%", 1.0)


def test_a_wrong_token_is_for_a_person(over_http, reference):
    stranger = HttpDataService(ExternalService(url=reference.url, token="another"))
    with pytest.raises(ExportRefused, match="service_refuses_us"):
        stranger.start(asked("peaks"), silent)


def test_a_service_that_is_away_is_tried_again(over_http, reference):
    reference.shutdown()
    reference.server_close()
    with pytest.raises(ServiceUnavailable, match="service_unreachable"):
        over_http.start(asked("peaks"), silent)


def test_a_private_address_is_never_called(reference, settings):
    settings.OUTBOUND_ALLOW = []
    service = HttpDataService(ExternalService(url=reference.url, token="a secret"))
    with pytest.raises(Exception, match="outbound_") as refused:
        service.start(asked("peaks"), silent)
    assert not refused.value.retryable
    assert reference.calls == []


def test_a_file_that_is_here_is_not_fetched_again(over_http, reference):
    file = over_http.start(asked("peaks"), silent).files[0]
    call(over_http, "fetch", file)
    before = len(reference.calls)
    call(over_http, "fetch", file)
    assert len(reference.calls) == before
