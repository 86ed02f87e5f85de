"""The shapes of what an upload is asked (`Upload.asking`) and of how it is to be read (`Upload.reading`).

Both are JSON. A reading comes with the upload from its sender, or from the answer of a person, whose entries
replace those that stood before; what it leaves out is decided by the file itself, or asked.
"""

from typing import Any, NotRequired, TypedDict


class Reading(TypedDict, total=False):
    """How a file is to be read.

    `mapping` gives for each field that it names the heading in the file, or the letters of its column (an
    exact heading counts first), or None for a field that the file does not have. Fields that are not named
    are matched by themselves. `confirm` lists what a person agreed to: codes of questions, `retire:<version>`
    with the version of the dataset to which it was said, and so `newer:<version>` (mended rows replace what
    newer uploads wrote) and `keep:<version>` (they are left out); `totals:leave_out` or `totals:keep` for
    rows below the data that look like totals.
    """

    sheet: str
    header_row: int  # as the spreadsheet program numbers it, from 1
    header_rows: int  # 1, or 2 when the heading of a column stands in two rows
    mapping: dict[str, str | None]
    confirm: list[str]


class PreviewRow(TypedDict):
    number: int
    cells: list[str]  # as a person sees them, each at most 100 characters, at most 50 of them


class Suggestion(TypedDict):
    """`column` is the place of the column from 0, `sure` false when a person must look at it; None: no column
    is like it. Of "double" columns it is the first, and a person must choose."""

    field: str
    title: str
    required: bool
    column: int | None
    sure: bool
    why: str  # "exact", "alike", "title", "alias", "similar", "double", ""


class Retirement(TypedDict):
    """Of a snapshot: `share` is a percentage of the records now in use."""

    retire: int
    records: int
    share: float
    limit: int
    version: int
    examples: list[str]


class NewerExample(TypedDict):
    """A mended row, by its number in the first file, and the record that a newer upload has written. `fields`
    are {"field", "now", "mine"}, values in words; `upload` is an id, `changed_at` a time with its zone."""

    row: int
    key: str
    retired: bool
    fields: list[dict[str, str]]
    upload: str
    filename: str
    changed_at: str


class NewerValues(TypedDict):
    """Of a file that mends: so many of its `rows` would replace newer values."""

    rows: int
    version: int
    examples: list[NewerExample]


class ComparedTotal(TypedDict):
    """A number of a row that looks like a total, beside the sum of its column; both as digits."""

    row: int
    field: str
    stands: str
    sum: str
    is_sum: bool


class TotalsBelow(TypedDict):
    """Rows below the data that look like totals, and what could be compared of them."""

    rows: list[PreviewRow]
    compared: list[ComparedTotal]


class Asking(TypedDict):
    """One question. `code` is also `Upload.question`; sentence and remedy stand in `ingestion.questions`."""

    # "which_sheet", "which_header", "which_columns", "which_totals", "confirm_retirement",
    # "confirm_newer_values"
    code: str
    detail: dict[str, Any]
    sheets: NotRequired[list[dict[str, Any]]]  # {"name", "hidden", "rows": list[PreviewRow], "score"}
    sheet: NotRequired[str]
    header_row: NotRequired[int]
    header_rows: NotRequired[int]
    headers: NotRequired[list[str]]
    suggestions: NotRequired[list[Suggestion]]
    totals: NotRequired[TotalsBelow]
    retirement: NotRequired[Retirement]
    newer: NotRequired[NewerValues]
