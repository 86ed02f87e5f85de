"""The one way for a step to ask a person. Whether the upload then waits or fails was said by its sender."""

from functools import partial
from typing import NoReturn

from django.db import transaction

from ingestion import questions
from ingestion.asking import Asking
from ingestion.kill_points import ASK_AFTER_COMMIT, ASK_BEFORE_COMMIT
from ingestion.models import Upload
from ingestion.states import UploadState
from work import crash, outbox
from work.failures import Asks, PermanentFailure


def ask(upload: Upload, asking: Asking) -> NoReturn:
    """Hand the upload to its owner; where its sender wants no questions, fail it by the question's code."""
    code = asking["code"]
    if upload.on_doubt == Upload.OnDoubt.FAIL:
        raise PermanentFailure(code, **questions.facts(asking))
    raise Asks(code, UploadState.NEEDS_ANSWER, asking=asking)


def record(upload: Upload, question: str) -> None:
    """The event of a question, in the transaction in which the upload asks it. Ids and counts only."""
    outbox.record(
        "upload.needs_answer",
        subject=upload,
        kind="upload",
        label=upload.filename,
        organisation=upload.organisation_id,
        payload={
            "owner": upload.uploaded_by_id,
            "dataset": upload.dataset.slug,
            "dataset_id": str(upload.dataset_id),
            "sequence": upload.sequence,
            "question": question,
        },
    )
    crash.point(ASK_BEFORE_COMMIT)
    transaction.on_commit(partial(crash.point, ASK_AFTER_COMMIT))
