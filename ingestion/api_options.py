"""What a program says of a file beside the file: the fields of its form, and the options they come to."""

import json
import uuid
from typing import Annotated, Any, Literal

from ninja import Form, Query, Schema
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ingestion.readings import LAST_ROW, LONGEST_SHEET, MOST_CONFIRMATIONS, Fault, not_valid
from ingestion.upload_options import UploadOptions

LONGEST_MAPPING = 500_000
NONE = SkipJsonSchema[None]
Row = Annotated[int, Field(ge=1, le=LAST_ROW)]
Rows = Annotated[int, Field(ge=1, le=2)]
DRY_RUN = Annotated[bool, Query(False, description="Give the verdict, and store nothing")]


class ReadingFields(Schema):
    """How the file is to be read. What is left out is decided by the file itself, or asked."""

    sheet: str = Field("", max_length=LONGEST_SHEET, description="Name of the sheet")
    header_row: Row | NONE = Field(None, description="Row with the names of the columns, counted from 1")
    header_rows: Rows | NONE = Field(None, description="2 when the heading of a column stands in two rows")
    mapping: str = Field(
        "",
        max_length=LONGEST_MAPPING,
        description=(
            "A JSON object: for each field it names the heading in the file, the letters of its column, "
            "or null when the file does not have it"
        ),
    )
    confirm: list[str] = Field(
        [],
        max_length=MOST_CONFIRMATIONS,
        description="Codes of questions that are agreed to; totals:leave_out or totals:keep for rows below "
        "the data that look like totals; repeatable, or one JSON array",
    )
    on_doubt: Literal["ask", "fail"] = Field(
        "ask",
        description=(
            "When only a person can decide how to go on: `ask` leaves the upload in `needs_answer` with a "
            "`question` until it is answered, `fail` ends it at once by the code of the question"
        ),
    )
    mends: uuid.UUID | NONE = Field(
        None, description="The upload of this dataset whose refused rows the file brings mended"
    )


FIELDS = Annotated[ReadingFields, Form(...)]


def options(fields: ReadingFields, *, dry_run: bool) -> UploadOptions:
    """Raises Problem 422 `reading_not_valid` where something that must be JSON is none."""
    reading: dict[str, Any] = {"sheet": fields.sheet}
    if fields.header_row is not None:
        reading["header_row"] = fields.header_row
    if fields.header_rows is not None:
        reading["header_rows"] = fields.header_rows
    if fields.mapping:
        reading["mapping"] = parsed("mapping", fields.mapping)
    if fields.confirm:
        reading["confirm"] = _confirmations(fields.confirm)
    return UploadOptions(reading=reading, on_doubt=fields.on_doubt, dry_run=dry_run, mends=fields.mends)


def parsed(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise not_valid([Fault(name, f"{name}_not_json", f"{name} is not JSON.")]) from error


def _confirmations(given: list[str]) -> Any:
    is_json = len(given) == 1 and given[0].lstrip().startswith("[")
    return parsed("confirm", given[0]) if is_json else given
