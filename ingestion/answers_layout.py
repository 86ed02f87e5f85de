"""What a person answers about: a sheet as it was kept with the question, its headings, and which field each
column could be. Another sheet or row of headings is looked at here too; the file itself is not read again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingestion import newer_values, snapshots, totals_below
from ingestion.asking import Asking, PreviewRow, Suggestion
from ingestion.checking import header
from ingestion.checking.checker import Checker
from ingestion.checking.texts import loose
from ingestion.reading.cells import column_index, column_letters

LOCALE = "en"  # headings are found alike in all of them
MOST_KEPT = 200  # headings
LONGEST_KEPT = 100  # cells of the preview may be cut there; a heading that long is named by its letters


@dataclass(frozen=True)
class Column:
    """`loose` is its heading without regard to look; `name` is what a mapping calls it: its heading where
    that is plain, else its letters.
    """

    place: int
    letters: str
    heading: str
    loose: str
    name: str
    example: str


@dataclass(frozen=True)
class Layout:
    """How a sheet would be read: the rows that were kept of it, its columns, and those of the fields."""

    sheet: str
    header_row: int
    header_rows: int
    rows: list[PreviewRow]
    columns: list[Column]
    suggestions: list[Suggestion]

    def find(self, name: str) -> list[Column]:
        """The columns that an entry of a mapping means, as the worker will take it: those with just this
        heading, else with one that is like it, else the one of these letters.
        """
        return (
            [column for column in self.columns if column.heading == name]
            or [column for column in self.columns if column.loose and column.loose == loose(name)]
            or self._lettered(name)
        )

    def _lettered(self, name: str) -> list[Column]:
        """Of a file with more columns than are kept with a question, any of the others too."""
        if not (name.isascii() and name.isalpha() and len(name) <= 3):
            return []
        place = column_index(name.upper())
        if place >= len(self.columns) >= MOST_KEPT:
            return [Column(place, name.upper(), "", "", name.upper(), "")]
        return self.columns[place : place + 1]


def sheet_names(asking: Asking) -> list[str]:
    return [sheet["name"] for sheet in asking.get("sheets", ())]


def confirmations(asking: Asking) -> list[str]:
    """What decides such a question, one of which must be said; of records it is void when they change."""
    if "totals" in asking:
        return [totals_below.LEAVE_OUT, totals_below.KEEP]
    if "newer" in asking:
        version = asking["newer"]["version"]
        return [newer_values.send_mine(version), newer_values.keep_theirs(version)]
    return [snapshots.confirmation(asking["retirement"]["version"])]


def of(
    asking: Asking, schema: Mapping[str, Any], aliases: Mapping[str, str], *,
    sheet: str = "", header_row: int = 0, header_rows: int = 0,
) -> Layout | None:  # fmt: skip
    """As it was asked about, or as somebody chose. None: no row of that number was kept, or a blank one."""
    sheet = sheet or asking.get("sheet") or _likely(asking)
    is_as_asked = sheet == asking.get("sheet")
    rows = _rows(asking, sheet)
    header_row = header_row or (asking.get("header_row", 0) if is_as_asked else 0) or _first(rows)
    header_rows = header_rows or (asking.get("header_rows", 1) if is_as_asked else 1)
    if is_as_asked and "headers" in asking and _is_asked_row(asking, header_row, header_rows):
        headers = list(asking["headers"])
    elif not (headers := _headings(rows, header_row, header_rows)):
        return None
    suggestions = list(asking.get("suggestions", ())) if is_as_asked else []
    if not _is_asked_row(asking, header_row, header_rows) or not _are_of(suggestions, schema):
        suggestions = suggest(headers, schema, aliases)
    # a suggestion may lie beyond the headings that were kept
    width = max([len(headers), *(each["column"] + 1 for each in suggestions if each["column"] is not None)])
    headers += [""] * (width - len(headers))
    columns = list(_columns(headers, rows, header_row + header_rows - 1))
    return Layout(sheet, header_row, header_rows, rows, columns, suggestions)


def was_kept(asking: Asking, sheet: str, row: int) -> bool:
    """Whether the question would show the row, were it not blank."""
    return any(each["number"] >= row for each in _rows(asking, sheet or asking.get("sheet", "")))


def suggest(
    headers: Sequence[str], schema: Mapping[str, Any], aliases: Mapping[str, str]
) -> list[Suggestion]:
    """For each field the column that could be it, as a worker would find it."""
    columns = Checker(dict(schema), locale=LOCALE).columns
    found = header.match(headers, columns, row=1, aliases=aliases, confirmed=True)
    return header.suggest(found, columns)


def required(schema: Mapping[str, Any]) -> set[str]:
    """The fields without which no row passes: those of the key too."""
    key = schema.get("primaryKey", [])
    named = {field["name"] for field in schema["fields"] if field.get("constraints", {}).get("required")}
    return named | set([key] if isinstance(key, str) else key)


def _likely(asking: Asking) -> str:
    """Of sheets to choose from the one that fits best, the first of equals."""
    sheets = [sheet for sheet in asking.get("sheets", ()) if not sheet["hidden"]] or asking.get("sheets", ())
    best = max(sheets, key=lambda sheet: sheet["score"], default=None)
    return best["name"] if best else ""


def _rows(asking: Asking, sheet: str) -> list[PreviewRow]:
    sheets = asking.get("sheets", ())
    return next((each["rows"] for each in sheets if each["name"] == sheet), [])


def _first(rows: Sequence[PreviewRow]) -> int:
    return rows[0]["number"] if rows else 0


def _is_asked_row(asking: Asking, header_row: int, header_rows: int) -> bool:
    return (header_row, header_rows) == (asking.get("header_row"), asking.get("header_rows", 1))


def _are_of(suggestions: Sequence[Suggestion], schema: Mapping[str, Any]) -> bool:
    """Whether the schema is still the one by which it was asked, as far as its fields go."""
    return [each["field"] for each in suggestions] == [field["name"] for field in schema["fields"]]


def _headings(rows: Sequence[PreviewRow], header_row: int, header_rows: int) -> list[str]:
    by_number = {row["number"]: row["cells"] for row in rows}
    upper, lower = by_number.get(header_row), by_number.get(header_row + 1)
    if upper is None or header_rows == 1:
        return list(upper or ())
    return _joined(upper, lower or ())


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """A group reaches over the blank cells to its right, as long as there are parts below it."""
    group, headings = "", []
    for place in range(max(len(upper), len(lower))):
        above = upper[place].strip() if place < len(upper) else ""
        below = lower[place].strip() if place < len(lower) else ""
        group = above or (group if below else "")
        headings.append(f"{group} {below}".strip())
    return headings


def _columns(headers: Sequence[str], rows: Sequence[PreviewRow], last_heading: int) -> Iterator[Column]:
    below = [row["cells"] for row in rows if row["number"] > last_heading]
    times = Counter(map(loose, headers))
    for place, heading in enumerate(headers):
        letters, look = column_letters(place), loose(heading)
        typed = (cells[place] for cells in below if place < len(cells))
        is_plain = look and len(heading) < LONGEST_KEPT and times[look] == 1
        yield Column(
            place=place,
            letters=letters,
            heading=heading,
            loose=look,
            name=heading if is_plain else letters,
            example=next((text for text in typed if text), ""),
        )
