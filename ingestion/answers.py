"""Answering what an upload asks: the row becomes due again, and what was said is kept for the next file.

Answering is not a start: the worker that takes the upload next begins it anew, by what was answered.
"""

from collections.abc import Mapping
from typing import Any, cast

from django.db import transaction
from django.db.models.functions import Now

from accounts.principals import Principal
from ingestion import answers_checks, answers_layout, questions, readings, remembered
from ingestion.answers_layout import Layout
from ingestion.asking import Asking, Reading
from ingestion.kill_points import ANSWER_AFTER_COMMIT, ANSWER_BEFORE_COMMIT
from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from ingestion.states import UploadState
from work import crash, decisions, doorbell
from work.failures import StateChanged


def answer(*, upload: Upload, reading: Any, by: Principal, why: str = "") -> Upload:
    """Take the answer and make the upload due. `reading` is what was sent (see `ingestion.asking.Reading`).

    Of two answers at once one counts. Raises StateChanged with the state found when the upload does not ask,
    or asks something else by now; Problem 422 `reading_not_valid`, naming each fault.
    """
    if upload.state != UploadState.NEEDS_ANSWER or not upload.asking:
        raise StateChanged(upload.state)
    PIPELINE.check_move(UploadState.NEEDS_ANSWER, UploadState.ACCEPTED)
    asking = cast(Asking, upload.asking)
    schema = upload.dataset.schema_versions.latest("number").schema
    given = answers_checks.agreed(asking, readings.checked(reading, schema=schema), schema)
    layout = _layout(asking, given, schema, remembered.aliases(upload.dataset_id))
    faults = list(answers_checks.faults_of(asking, given, layout, schema))
    if faults:
        raise readings.not_valid(faults)
    merged = merge(upload.reading, _whole(asking, given, layout))
    with transaction.atomic():
        _move(upload, merged, by)
        if layout is not None:
            remembered.learn(upload.dataset, asking, given, layout, schema, by=by)
        _decide(upload, asking, given, by, why)
        doorbell.ring()
        crash.point(ANSWER_BEFORE_COMMIT)
    crash.point(ANSWER_AFTER_COMMIT)
    return Upload.objects.select_related("dataset", "organisation").get(pk=upload.pk)


def merge(old: Mapping[str, Any], new: Reading) -> Reading:
    """Entries of the answer replace those that stood before. A mapping is of one sheet and one row: with
    another of them the one before says nothing any more.
    """
    mapping = {**old.get("mapping", {}), **new.get("mapping", {})}
    if any(name in new and name in old and new[name] != old[name] for name in ("sheet", "header_row")):
        mapping = dict(new.get("mapping", {}))
    confirm = list(dict.fromkeys([*old.get("confirm", ()), *new.get("confirm", ())]))
    merged = {**old, **new, "mapping": mapping, "confirm": confirm}
    return readings.entries(merged)


def _layout(
    asking: Asking, given: Reading, schema: Mapping[str, Any], aliases: Mapping[str, str]
) -> Layout | None:
    if asking["code"] in questions.DECISIONS:
        return None
    return answers_layout.of(
        asking, schema, aliases,
        sheet=given.get("sheet", ""), header_row=given.get("header_row", 0),
        header_rows=given.get("header_rows", 0),
    )  # fmt: skip


def _whole(asking: Asking, given: Reading, layout: Layout | None) -> Reading:
    """A mapping names columns of the sheet and row that were shown with it: they go along."""
    if layout is None or not given.get("mapping"):
        return given
    whole: Reading = {"header_row": layout.header_row, "header_rows": layout.header_rows}
    if layout.sheet:
        whole["sheet"] = layout.sheet
    return {**whole, **given}


def _move(upload: Upload, reading: Reading, by: Principal) -> None:
    """The question is known by the moment at which it was asked: an answer to an earlier one is none."""
    moved = Upload.objects.filter(
        pk=upload.pk, state=UploadState.NEEDS_ANSWER, asked_at=upload.asked_at, question=upload.question
    ).update(
        state=UploadState.ACCEPTED,
        due_at=Now(),
        asked_at=None,
        question=None,
        asking=None,
        reading=reading,
        answered_by_label=str(by)[:200],
    )
    if not moved:
        raise StateChanged(Upload.objects.filter(pk=upload.pk).values_list("state", flat=True).first())


def _decide(upload: Upload, asking: Asking, given: Reading, by: Principal, why: str) -> None:
    """The answer itself stands with the decision, which people of the organisation see; the event counts."""
    decisions.record(
        "upload.answered",
        by=by,
        kind="upload",
        subject=upload,
        label=upload.filename,
        organisation=upload.organisation_id,
        why=why,
        rule={"answer": given},
        shown={"question": questions.describe(asking)[0], "since": str(upload.asked_at)},
        before={"state": str(UploadState.NEEDS_ANSWER), "question": asking["code"]},
        after={"state": str(UploadState.ACCEPTED), "fields": len(given.get("mapping", {}))},
    )
