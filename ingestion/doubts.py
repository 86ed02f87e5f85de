"""What is not certain about a file, as the question to its owner: with the first rows as people see them, and
what can be offered for each field."""

from collections.abc import Sequence
from typing import Any

from ingestion.asking import Asking, PreviewRow
from ingestion.checking import header as headings
from ingestion.checking.columns import Column
from ingestion.checking.header import HeaderMatch
from ingestion.checking.shown import cell_text
from ingestion.checking.texts import shown
from ingestion.questions import WHICH_COLUMNS, WHICH_HEADER, WHICH_SHEET
from ingestion.reading.choosing import DOUBT
from ingestion.reading.reader import HeaderFrame, Row

MOST_COLUMNS = 50
MOST_HEADERS = 200
MOST_CHARACTERS = 100


def code(header: HeaderFrame, match: HeaderMatch, confirmed: Sequence[str]) -> str:
    """What must be asked first; "" when nothing is in doubt, or all of it was agreed to."""
    if header.sheet_chosen == DOUBT and WHICH_SHEET not in confirmed:
        return WHICH_SHEET
    if not header.sure and WHICH_HEADER not in confirmed:
        return WHICH_HEADER
    return WHICH_COLUMNS if match.asks else ""


def asking(question: str, header: HeaderFrame, match: HeaderMatch, columns: Sequence[Column]) -> Asking:
    return Asking(
        code=question,
        detail={"score": header.score, "fields": len(columns)},
        sheets=_sheets(header),
        sheet=header.sheet,
        header_row=header.row,
        header_rows=header.depth,
        headers=[shown(text, most=MOST_CHARACTERS) for text in match.headers[:MOST_HEADERS]],
        suggestions=match.suggestions or headings.suggest(match, columns),
    )


def _sheets(header: HeaderFrame) -> list[dict[str, Any]]:
    """The one that is read with its first rows; of the others what was seen of them."""
    own = {"name": header.sheet, "hidden": False, "rows": _preview(header.first), "score": header.score}
    sheets = [
        own | {"hidden": seen.hidden}
        if seen.name == header.sheet
        else {"name": seen.name, "hidden": seen.hidden, "rows": _preview(seen.rows), "score": seen.score}
        for seen in header.sheets
    ]
    return sheets if any(sheet["name"] == header.sheet for sheet in sheets) else [own, *sheets]


def _preview(rows: Sequence[Row]) -> list[PreviewRow]:
    return [
        PreviewRow(
            number=number,
            cells=[shown(cell_text(cell), most=MOST_CHARACTERS) for cell in cells[:MOST_COLUMNS]],
        )
        for number, cells in rows
    ]
