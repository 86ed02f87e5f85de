"""The original file, and reports that are built on first demand."""

import pytest

from ingestion.models import Report
from ingestion.report_pipeline import REPORTS
from tests.factories import UploadFactory
from tests.ingestion.views.conftest import HTMX, text_of
from work import leases, runner
from work.storage import files

pytestmark = pytest.mark.django_db(transaction=True)
SPOILED = "id,amount\na,1\nb,x\n"


def build():
    runner.run(leases.claim_next(REPORTS))


def body_of(answer):
    return b"".join(answer.streaming_content)


def test_original_is_given_as_it_was_sent(as_uploader, sent, page_of):
    answer = as_uploader.get(page_of(sent(SPOILED), "upload_original"))

    assert body_of(answer) == SPOILED.encode()
    assert answer["Content-Disposition"].startswith('attachment; filename="stations.csv"')


@pytest.mark.parametrize("kind", ["xlsx", "csv", "json"])
def test_report_is_accepted_then_built_then_given(as_uploader, sent, page_of, kind):
    address = page_of(sent(SPOILED), "upload_report", kind=kind)

    asked = as_uploader.post(address, **HTMX)
    assert asked.status_code == 202
    assert f'id="report-{kind}"' in text_of(asked)
    assert f'hx-get="{address}"' in text_of(asked)

    build()
    built = text_of(as_uploader.get(address, **HTMX))
    assert f'href="{address}" download' in built
    assert "hx-get" not in built
    answer = as_uploader.get(address)
    assert answer["Content-Disposition"].endswith(f"stations%20-%20refused%20rows.{kind}")
    assert len(body_of(answer)) > 50


def test_report_asked_for_without_script_leads_back_to_the_page(as_uploader, sent, page_of):
    upload = sent(SPOILED)

    answer = as_uploader.post(page_of(upload, "upload_report", kind="csv"), follow=True)

    assert answer.redirect_chain == [(page_of(upload), 302)]
    assert "The report is asked for." in text_of(answer)
    assert "a worker builds it; the link appears here" in text_of(answer)


def test_report_asked_for_twice_is_built_once(as_uploader, sent, page_of):
    address = page_of(sent(SPOILED), "upload_report", kind="csv")

    as_uploader.post(address)
    as_uploader.post(address)

    assert Report.objects.count() == 1


def test_report_that_is_not_there_leads_to_where_it_is_asked_for(as_uploader, sent, page_of):
    upload = sent(SPOILED)

    answer = as_uploader.get(page_of(upload, "upload_report", kind="csv"), follow=True)

    assert answer.redirect_chain == [(page_of(upload), 302)]
    assert "not there yet" in text_of(answer)


@pytest.mark.parametrize("htmx", [HTMX, {}])
def test_report_before_the_verdict_is_refused_in_words(as_uploader, stations, page_of, htmx):
    address = page_of(UploadFactory(dataset=stations), "upload_report", kind="csv")

    answer = as_uploader.post(address, follow=True, **htmx)

    assert answer.status_code == (422 if htmx else 200)
    assert "The upload has no verdict yet." in text_of(answer)


def test_rows_to_mend_are_not_offered_once_none_is_left(as_uploader, sent, stations, page_of):
    upload = sent(SPOILED)
    address = page_of(upload, "upload_report", kind="mend")
    assert address in text_of(as_uploader.get(page_of(upload)))

    sent("id,amount\nb,2\n", mends=upload.pk)

    assert address not in text_of(as_uploader.get(page_of(upload)))
    for answer in (as_uploader.get(address, follow=True), as_uploader.post(address, follow=True)):
        assert "Nothing is left to mend" in text_of(answer)
    assert as_uploader.post(address, **HTMX).status_code == 422
    assert not Report.objects.exists()


def test_report_of_an_unknown_kind_or_another_tenant_is_not_found(as_uploader, as_stranger, sent, page_of):
    upload = sent(SPOILED)

    assert as_uploader.get(page_of(upload, "upload_report", kind="pdf")).status_code == 404
    assert as_stranger.post(page_of(upload, "upload_report", kind="csv")).status_code == 404
    assert Report.objects.count() == 0


def test_file_that_storage_has_lost_is_not_found(as_uploader, stations, page_of):
    upload = UploadFactory(dataset=stations, storage_key="north/gone")
    assert not files().exists("north/gone")

    assert as_uploader.get(page_of(upload, "upload_original")).status_code == 404
