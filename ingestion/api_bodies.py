"""What the API of ingestion takes and answers: the schemas of its document, and how rows become them."""

import datetime as dt
import uuid
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field, WithJsonSchema

from ingestion import api_questions, queries, stories
from ingestion.api_table_schema import table_schema
from ingestion.content_types import ENDINGS
from ingestion.models import Dataset, Record, Report, SchemaVersion, Upload
from ingestion.pipeline import PIPELINE
from ingestion.report_pipeline import REPORTS
from work.bodies import StrictSchema, WorkBody, brief_body, work_body
from work.models import Attempt

API = "/api/v1"
Status = Literal["", "accepted", "processing", "needs_answer", "processed", "partial", "failed", "cancelled"]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
LOCALE = r"^[a-z]{2,3}([-_][A-Za-z]{2,4})?$"
Mode = Literal["upsert", "snapshot"]


def _no_truth(value: Any) -> Any:
    """JSON's true is no 1."""
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    return value


Percent = Annotated[int, Field(ge=0, le=100), BeforeValidator(_no_truth)]
PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
COUNTS = ("valid", "refused", "blank", "inserted", "updated", "unchanged", "superseded", "retired")


TableSchema = Annotated[dict[str, Any], WithJsonSchema(table_schema())]


class Counts(Schema):
    """rows = valid + refused + blank, and of a verdict that stored something valid = inserted + updated +
    unchanged + superseded. `retired` are records that are absent from a snapshot; of a dry run all of these
    are what would be.
    """

    rows: int
    valid: int
    refused: int
    blank: int
    inserted: int
    updated: int
    unchanged: int
    superseded: int
    retired: int
    errors: int


class Assumption(Schema):
    code: str
    detail: dict[str, Any]
    message: str


class Start(Schema):
    """One start of the work: by which worker, and how it ended (`null` while it runs)."""

    number: int
    worker: str
    started_at: dt.datetime
    ended_at: dt.datetime | None
    outcome: str | None
    step: str


class UploadBody(WorkBody):
    organisation: str
    dataset: str
    filename: str
    sha256: str
    size: int
    dry_run: bool
    on_doubt: str
    reading: dict[str, Any]
    mends: str | None
    repeats: str | None
    reprocesses: str | None
    counts: Counts
    parser_version: str | None
    schema_version: int | None
    assumptions: list[Assumption]
    timings: dict[str, float]
    links: dict[str, str]


class Chapter(Schema):
    """`mended`: rows of the first file that this one brought; `refused`: rows of its own; `superseded`: those
    that were left to newer uploads."""

    upload: str
    filename: str
    sent_by: str
    accepted_at: dt.datetime
    status: str
    mended: int
    refused: int
    superseded: int


class StoryBody(Schema):
    """An upload and those that mend it, about the rows of the first: `stored` by that itself, `mended` by
    later ones, `left` in none; `left_out` shall never be stored, as a person decided."""

    root: str
    chapters: list[Chapter]
    rows: int
    stored: int
    mended: int
    left_out: int
    left: int


class UploadDetail(UploadBody):
    """`question` is what it asks while it needs an answer."""

    starts: list[Start]
    story: StoryBody
    question: api_questions.QuestionBody | None
    answered_by: str | None


class AcceptedUpload(UploadBody):
    already_accepted: bool


class UploadList(Schema):
    items: list[UploadBody]
    next_cursor: str | None


class CancellationRequest(StrictSchema):
    why: str = Field("", max_length=1000, pattern=PRINTABLE)


class ErrorItem(Schema):
    sheet: str
    row: int
    origin: int | None = Field(None, description="Of a file that mends: the row of the first file that it is")
    column: str
    header: str
    cell: str
    value: str
    code: str
    message: str
    remedy: str
    help_url: str


class ErrorList(Schema):
    items: list[ErrorItem]
    next_cursor: str | None


class DatasetRequest(StrictSchema):
    slug: Slug
    title: str = Field(min_length=1, max_length=150, pattern=PRINTABLE)
    table_schema: TableSchema = Field(alias="schema")
    locale: str = Field("", max_length=10, pattern=rf"^({LOCALE[1:-1]})?$")
    mode: Mode = "upsert"
    retire_limit: Percent = 20
    refuse_limit: Percent | None = None


class DatasetChange(StrictSchema):
    """What is left out stays as it is. `why` is kept with the decision."""

    title: str = Field("", min_length=1, max_length=150, pattern=PRINTABLE)
    locale: str = Field("", min_length=1, max_length=10, pattern=LOCALE)
    mode: Mode = "upsert"
    retire_limit: Percent = 20
    refuse_limit: Percent | None = None
    why: str = Field(min_length=1, max_length=1000, pattern=PRINTABLE)


class DatasetBody(Schema):
    organisation: str
    slug: str
    title: str
    locale: str
    mode: str
    retire_limit: int
    refuse_limit: int | None
    version: int
    schema_version: int
    created_at: dt.datetime
    links: dict[str, str]


class DatasetDetail(DatasetBody):
    table_schema: TableSchema = Field(alias="schema")


class DatasetList(Schema):
    items: list[DatasetBody]
    next_cursor: str | None


class ImpactGroup(Schema):
    """`column` is the name of a field; `example` one of its values, and `message` what is wrong with it."""

    code: str
    column: str
    rows: int
    example: str
    message: str


class ImpactBody(Schema):
    """`checked` of the `records` were looked at: all, or every so many of a great number. `refused` and the
    groups count those that a file could not bring again as they are. Values of `removed` fields stay with
    their records.
    """

    records: int
    checked: int
    refused: int
    groups: list[ImpactGroup]
    added: list[str]
    removed: list[str]
    retyped: list[str]
    key_changed: bool


class SchemaBody(Schema):
    """The current version; its number is the ETag, and `If-Match` of a change."""

    version: int
    table_schema: TableSchema = Field(alias="schema")
    made_at: dt.datetime


class RecordBody(Schema):
    key: str
    data: dict[str, Any]
    version: int
    upload: str
    changed_at: dt.datetime


class RecordList(Schema):
    """Of a search `indexed_at` says that every change stored before it can be found, and `pending` how many
    records wait for the index. Both are null where the records themselves were read.
    """

    items: list[RecordBody]
    next_cursor: str | None
    indexed_at: dt.datetime | None = None
    pending: int | None = None


class ReportBody(WorkBody):
    kind: str
    upload: str


def upload_url(upload_id: uuid.UUID) -> str:
    return f"{API}/uploads/{upload_id}"


def upload_item(upload: Upload) -> dict[str, Any]:
    """For lists: from the row alone."""
    return brief_body(upload, status_url=upload_url(upload.pk)) | _own(upload)


def upload_detail(upload: Upload) -> dict[str, Any]:
    """For one upload: why it waits, and every start of its work."""
    body = work_body(PIPELINE, upload, status_url=upload_url(upload.pk)) | _own(upload)
    return body | {
        "starts": [_start(attempt) for attempt in queries.starts(upload)],
        "story": stories.body(upload),
        "question": api_questions.question(upload, address=upload_url(upload.pk)),
        "answered_by": upload.answered_by_label or None,
    }


def report_body(report: Report) -> dict[str, Any]:
    address = f"{upload_url(report.upload_id)}/report.{ENDINGS[report.kind]}"
    return work_body(REPORTS, report, status_url=address) | {
        "kind": report.kind,
        "upload": str(report.upload_id),
    }


def dataset_item(dataset: Dataset) -> dict[str, Any]:
    """`current` is annotated by the query."""
    address, suffix = f"{API}/datasets/{dataset.slug}", f"?organisation={dataset.organisation.slug}"
    return {
        "organisation": dataset.organisation.slug,
        "slug": dataset.slug,
        "title": dataset.title,
        "locale": dataset.locale,
        "mode": dataset.mode,
        "retire_limit": dataset.retire_limit,
        "refuse_limit": dataset.refuse_limit,
        "version": dataset.version,
        "schema_version": dataset.current,  # type: ignore[attr-defined]
        "created_at": dataset.created_at,
        "links": {
            "self": f"{address}{suffix}",
            "schema": f"{address}/schema{suffix}",
            "records": f"{address}/records{suffix}",
        },
    }


def schema_body(version: SchemaVersion) -> dict[str, Any]:
    return {"version": version.number, "schema": version.schema, "made_at": version.made_at}


def record_item(record: Record) -> dict[str, Any]:
    return {
        "key": record.key,
        "data": record.data,
        "version": record.version,
        "upload": str(record.upload_id),
        "changed_at": record.changed_at,
    }


def _own(upload: Upload) -> dict[str, Any]:
    address = upload_url(upload.pk)
    return {
        "organisation": upload.organisation.slug,
        "dataset": upload.dataset.slug,
        "filename": upload.filename,
        "sha256": upload.sha256,
        "size": upload.size,
        "dry_run": upload.dry_run,
        "on_doubt": upload.on_doubt,
        "reading": upload.reading,
        "mends": str(upload.mends_id) if upload.mends_id else None,
        "repeats": str(upload.repeats_id) if upload.repeats_id else None,
        "reprocesses": str(upload.reprocesses_id) if upload.reprocesses_id else None,
        "counts": {
            "rows": upload.rows_read,
            "errors": upload.error_count,
            **{name: getattr(upload, name) for name in COUNTS},
        },
        "parser_version": upload.parser_version or None,
        "schema_version": upload.schema_version,
        "assumptions": upload.assumptions,
        "timings": upload.timings,
        "links": {
            "self": address,
            "original": f"{address}/original",
            "cancellation": f"{address}/cancellation",
            "answer": f"{address}/answer",
            "reprocess": f"{address}/reprocess",
            "differences": f"{address}/differences",
            "errors": f"{address}/errors",
            **{f"report_{kind}": f"{address}/report.{ENDINGS[kind]}" for kind in Report.Kind.values},
        },
    }


def _start(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "worker": attempt.worker_label,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
        "outcome": attempt.outcome,
        "step": attempt.step,
    }
