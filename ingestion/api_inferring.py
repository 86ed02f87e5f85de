"""The HTTP API around schemas: one inferred from a sample file, and one as a workbook to fill in."""

from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Router, Schema
from ninja.files import UploadedFile
from pydantic import Field

from accounts.scoping import organisation_of, require
from ingestion import api_bodies as bodies
from ingestion import api_datasets, samples, templates_served
from ingestion.api_datasets import ORGANISATION
from ingestion.inferring.sampling import MOST_ROWS, SECONDS
from ingestion.inferring.schema import Inferred
from ingestion.uploads import too_large
from work.problems import responses

router = Router(tags=["datasets"])
LOCALE = r"^([a-z]{2,3}([-_][A-Za-z]{2,4})?)?$"


class InferredNote(Schema):
    """`look`: a person should look at it before the schema is used."""

    code: str
    message: str
    look: bool


class CounterExample(Schema):
    row: int
    value: str
    code: str


class FieldEvidence(Schema):
    """What the sample says about a field. Lengths are in characters; lowest and highest only inform."""

    name: str
    heading: str
    column: str
    values: int
    blanks: int
    distinct: int
    is_unique: bool
    examples: list[str]
    counter_examples: list[CounterExample]
    shortest: int
    longest: int
    lowest: str
    highest: str
    confidence: str = Field(description="certain, likely, or look: a person should")
    notes: list[InferredNote]


class InferredSchema(Schema):
    """`candidate_keys`: fields that alone, or in pairs, tell all rows of the sample apart; the best first."""

    table_schema: bodies.TableSchema = Field(alias="schema")
    locale: str
    sheet: str
    header_row: int
    rows: int
    is_whole: bool
    evidence: list[FieldEvidence]
    candidate_keys: list[list[str]]
    assumptions: list[bodies.Assumption]


@router.post(
    "/datasets/infer",
    response={200: InferredSchema, **responses(413)},
    by_alias=True,
    summary="Infer a schema from a sample file",
    description=f"The file is read within the request and not kept: its first {MOST_ROWS:,} rows, or as many"
    f" as come within {SECONDS} seconds; `is_whole` says whether that was all. A file that cannot be read is"
    " answered by 422 with the same code and sentence as an upload would end with."
    f" At most {samples.PER_MINUTE} a minute.",
)
def infer_schema(
    request: HttpRequest,
    file: Annotated[UploadedFile, File(...)],
    organisation: ORGANISATION,
    sheet: Annotated[str, Form("", max_length=100, pattern=bodies.PRINTABLE)],
    header_row: Annotated[int, Form(0, ge=0, le=1_000, description="From 1; 0: decided by the file")],
    locale: Annotated[str, Form("", max_length=10, pattern=LOCALE)],
) -> Any:
    owner = organisation_of(request, organisation)
    require(request, "manage", owner)
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise too_large(settings.MAX_UPLOAD_BYTES)
    sample, found = samples.read(
        file=file.file,
        organisation=owner,
        by=request.principal,  # type: ignore[attr-defined]
        locale=locale,
        sheet=sheet,
        header_row=header_row,
    )
    where = {"sheet": sample.sheet, "header_row": sample.header_row, "is_whole": sample.is_whole}
    return _body(found) | where | {"rows": len(sample.rows)}


@router.get(
    "/datasets/{slug:slug}/template.xlsx",
    response={200: None, **responses()},
    summary="A workbook to fill in, with the columns, formats and choices of the current schema",
    openapi_extra=templates_served.DOCUMENTED,
)
def get_template(request: HttpRequest, slug: str, organisation: ORGANISATION) -> HttpResponse:
    dataset = api_datasets.find(organisation_of(request, organisation), slug)
    return templates_served.serve(request, dataset)


def _body(found: Inferred) -> dict[str, Any]:
    return {
        "schema": found.schema,
        "locale": found.locale,
        "evidence": [each.as_json() for each in found.evidence],
        "candidate_keys": found.candidate_keys,
        "assumptions": found.assumptions,
    }
