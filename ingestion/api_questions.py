"""What the API says of an upload that asks, and takes as an answer."""

import datetime as dt
import uuid
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from ingestion import answers_layout, questions
from ingestion.api_options import NONE, Row, Rows
from ingestion.models import Upload
from ingestion.reading.cells import column_letters
from ingestion.readings import LONGEST_COLUMN, LONGEST_SHEET, MOST_CONFIRMATIONS
from work.bodies import StrictSchema

PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
Heading = Annotated[str, Field(min_length=1, max_length=LONGEST_COLUMN, pattern=PRINTABLE)]


class PreviewRowBody(Schema):
    number: int
    cells: list[str]


class SheetBody(Schema):
    """The first rows that hold a value, each under its number in the spreadsheet program."""

    name: str
    hidden: bool
    rows: list[PreviewRowBody]


class SuggestionBody(Schema):
    """`column` are the letters of the column that could be the field, `null` when none is like it; `sure` is
    false when somebody must look at it.
    """

    field: str
    title: str
    required: bool
    column: str | None
    heading: str | None
    sure: bool
    why: str


class RetirementBody(Schema):
    """`confirmation` is what agrees to it, in `confirm` of the answer."""

    retire: int
    records: int
    share: float
    limit: int
    version: int
    examples: list[str]
    confirmation: str


class NewerFieldBody(Schema):
    field: str
    now: str
    mine: str


class NewerExampleBody(Schema):
    """`row` is the number in the first file; `retired`: the record is out of use, and would come back."""

    row: int
    key: str
    retired: bool
    fields: list[NewerFieldBody]
    upload: uuid.UUID
    filename: str
    changed_at: dt.datetime


class NewerBody(Schema):
    """Mended rows that would replace values of newer uploads. `send_mine` replaces them, `keep_theirs` leaves
    these rows out: one of both is said in `confirm` of the answer.
    """

    rows: int
    version: int
    examples: list[NewerExampleBody]
    send_mine: str
    keep_theirs: str


class ComparedTotalBody(Schema):
    """`stands` is the number in the row, `sum` that of its column over the rows that are valid."""

    row: int
    field: str
    stands: str
    sum: str
    is_sum: bool


class TotalsBody(Schema):
    """Rows below the data that look like totals. `leave_out` leaves them out, `keep` reads them as rows: one
    of both is said in `confirm` of the answer.
    """

    rows: list[PreviewRowBody]
    compared: list[ComparedTotalBody]
    leave_out: str
    keep: str


class QuestionBody(Schema):
    """What only a person can decide. POST the answer to `answer_url`; parts that the question does not need
    are `null` or empty.
    """

    code: str
    message: str
    remedy: str
    asked_at: dt.datetime
    answer_url: str
    sheet: str | None
    header_row: int | None
    header_rows: int | None
    headers: list[str]
    sheets: list[SheetBody]
    suggestions: list[SuggestionBody]
    totals: TotalsBody | None
    retirement: RetirementBody | None
    newer: NewerBody | None


class AnswerRequest(StrictSchema):
    """How the file is to be read. What an answer leaves out stays as it stood; `confirm` with the code of the
    question agrees to what it suggests.
    """

    sheet: str = Field("", max_length=LONGEST_SHEET, pattern=PRINTABLE)
    header_row: Row | NONE = None
    header_rows: Rows | NONE = None
    mapping: dict[str, Heading | None] = Field(
        {}, description="Field to heading, letters of a column, or null when the file does not have it"
    )
    confirm: list[str] = Field([], max_length=MOST_CONFIRMATIONS)
    why: str = Field("", max_length=1000, pattern=PRINTABLE)

    def reading(self) -> dict[str, Any]:
        return self.dict(exclude={"why"}, exclude_none=False)


def question(upload: Upload, *, address: str) -> dict[str, Any] | None:
    if not upload.asking or upload.asked_at is None:
        return None
    asking = upload.asking
    message, remedy = questions.describe(asking)
    return {
        "code": asking["code"],
        "message": message,
        "remedy": remedy,
        "asked_at": upload.asked_at,
        "answer_url": f"{address}/answer",
        "sheet": asking.get("sheet"),
        "header_row": asking.get("header_row"),
        "header_rows": asking.get("header_rows"),
        "headers": asking.get("headers", []),
        "sheets": asking.get("sheets", []),
        "suggestions": [_suggestion(asking, each) for each in asking.get("suggestions", [])],
        "totals": _totals(asking),
        "retirement": _retirement(asking),
        "newer": _newer(asking),
    }


def _suggestion(asking: Any, suggestion: Any) -> dict[str, Any]:
    place, headers = suggestion["column"], asking.get("headers", [])
    found = place is not None
    return suggestion | {
        "column": column_letters(place) if found else None,
        "heading": headers[place] if found and place < len(headers) else None,
    }


def _totals(asking: Any) -> dict[str, Any] | None:
    if "totals" not in asking:
        return None
    leave_out, keep = answers_layout.confirmations(asking)
    return asking["totals"] | {"leave_out": leave_out, "keep": keep}


def _retirement(asking: Any) -> dict[str, Any] | None:
    found = asking.get("retirement")
    return found and found | {"confirmation": answers_layout.confirmations(asking)[0]}


def _newer(asking: Any) -> dict[str, Any] | None:
    if "newer" not in asking:
        return None
    mine, theirs = answers_layout.confirmations(asking)
    return asking["newer"] | {"send_mine": mine, "keep_theirs": theirs}
