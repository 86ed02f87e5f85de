import pytest

from tests.factories import UploadFactory
from work.bodies import WorkBody, work_body
from work.models import PipelinePause


@pytest.fixture
def body(db, pipeline):
    def make(upload):
        given = work_body(pipeline, upload, status_url="/status")
        return WorkBody.model_validate(given).model_dump(mode="json")

    return make


def test_waiting_work_says_why_it_waits(body, pipeline):
    upload = UploadFactory()
    upload.refresh_from_db()
    PipelinePause.objects.create(pipeline=pipeline.name, paused_by_label="operator", reason="x")

    told = body(upload)

    assert (told["id"], told["status"], told["attempts"]) == (str(upload.pk), "accepted", 0)
    assert told["why_waiting"]["code"] == "paused"
    assert told["failure"] is None
    assert told["progress"] == {"done": 0, "total": None, "unit": "", "heard_at": None}
    assert told["accepted_at"].endswith("Z")


def test_failed_work_says_what_failed_and_what_to_do(body, pipeline):
    upload = UploadFactory()
    pipeline.rows.filter(pk=upload.pk).update(
        state="failed",
        due_at=None,
        finished_at="2026-01-01T00:00:00Z",
        failure_code="worker_died_repeatedly",
        failure_detail={"step": "read"},
    )
    upload.refresh_from_db()

    told = body(upload)

    assert told["why_waiting"] is None
    assert told["failure"]["code"] == "worker_died_repeatedly"
    assert "read" in told["failure"]["message"]
    assert told["failure"]["remedy"]
