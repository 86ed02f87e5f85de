"""Checks batches of rows against a schema, column by column; each row comes out stored-ready or refused."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from ingestion.checking import faults, header, keys, messages, texts
from ingestion.checking.columns import NULL, Column, encode
from ingestion.checking.columns_numbers import NumberColumn
from ingestion.checking.columns_texts import TextColumn
from ingestion.checking.faults import ColumnFaults, Tally
from ingestion.checking.fields import build_field
from ingestion.checking.header import HeaderMatch
from ingestion.checking.locales import find
from ingestion.checking.schema_keys import names_of
from ingestion.reading.cells import WireCell, column_letters


@dataclass(slots=True)
class CheckedRow:
    """One row of the file. `json` is the canonical JSON of its values, exact, and None when it is refused;
    `key` is there for refused rows too, when it could be read. `references` has the key that each foreign
    key names, None for a blank one. `faults` are texts of one or more faults each (see `faults`)."""

    row: int
    json: str | None
    key: str | None
    digest: bytes
    faults: Sequence[str] = ()
    unique: dict[str, str] = field(default_factory=dict)
    references: Sequence[str | None] = ()

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The faults with their sentences: for one row at a time."""
        return [faults.told(fault, self.row) for fault in faults.split(self.faults)]

    @property
    def data(self) -> dict[str, Any] | None:
        """The values as Python has them. Decimals become floats here: store `json`, which has all digits."""
        return None if self.json is None else json.loads(self.json)


class Checker:
    """For one file: match_header once, then check_batch for its rows in order."""

    def __init__(self, schema: dict[str, Any], *, locale: str = "en") -> None:
        self.primary_key: list[str] = names_of(schema.get("primaryKey", []))
        self.foreign_keys: list[Sequence[str]] = [
            names_of(entry["fields"]) for entry in schema.get("foreignKeys", [])
        ]
        missing = schema.get("missingValues")
        self.columns: list[Column] = [
            build_field(
                entry, locale=find(locale), missing_values=missing, in_key=entry["name"] in self.primary_key
            )
            for entry in schema["fields"]
        ]
        self.header: HeaderMatch | None = None
        self.blank = 0

    def spellings(self, aliases: Mapping[str, str]) -> list[list[str]]:
        """What may stand over each field's column: its name, its title, and what is remembered of it."""
        return [
            [column.name, column.title, *(known for known, name in aliases.items() if name == column.name)]
            for column in self.columns
        ]

    def match_header(
        self,
        cells: Sequence[WireCell],
        *,
        row: int = 1,
        mapping: Mapping[str, str | None] | None = None,
        aliases: Mapping[str, str] | None = None,
        confirmed: bool = False,
    ) -> HeaderMatch:
        """Where each field stands. With a `failure` the file as a whole is refused; where it `asks`, a person
        must say which column is which."""
        self.header = header.match(
            cells, self.columns, row=row, mapping=mapping, aliases=aliases, confirmed=confirmed
        )
        self._prepare(self.header)
        return self.header

    def _prepare(self, found: HeaderMatch) -> None:
        self.placed = [(found.places.get(column.name, -1), column) for column in self.columns]
        self.headings: dict[tuple[int, str], tuple[str, str]] = {}
        self.column_faults: dict[str, ColumnFaults] = {}
        self.tally = Tally()
        # Sorted by name, so that the same values give the same text after the schema's order changed.
        self.order = sorted(range(len(self.columns)), key=lambda index: self.columns[index].name)
        names = (encode(self.columns[index].name).replace("%", "%%") for index in self.order)
        self.template = "{" + ",".join(f"{name}:%s" for name in names) + "}"
        self.empty = self.template % ((NULL,) * len(self.order))
        by_name = {column.name: index for index, column in enumerate(self.columns)}
        self.key_indexes = [by_name[name] for name in self.primary_key]
        self.unique_indexes = [index for index, column in enumerate(self.columns) if column.is_unique]
        self.reference_indexes = [[by_name[name] for name in names] for names in self.foreign_keys]

    def check_batch(self, rows: Sequence[list[Any]]) -> list[CheckedRow]:
        """The rows of a frame, checked, in order; blank ones are left out and counted in `blank`."""
        if self.header is None or self.header.failure is not None:
            raise RuntimeError("the header must match first")
        if not rows:
            return []
        by_place = list(zip_longest(*(row[1] for row in rows)))
        nothing = (None,) * len(rows)
        cells = [by_place[place] if 0 <= place < len(by_place) else nothing for place, _ in self.placed]
        fragments = [column.convert(values) for (_, column), values in zip(self.placed, cells, strict=True)]
        refused, blank = self._faults(rows, cells, fragments)
        bodies = list(
            map(self.template.__mod__, zip(*(fragments[index] for index in self.order), strict=True))
        )
        key_texts = self._keys(self.key_indexes, cells, fragments)
        uniques = list(self._uniques(cells, fragments, len(rows)))
        checked = list(self._rows(rows, bodies, key_texts, uniques, refused, blank))
        if self.foreign_keys:
            self._refer(rows, checked, cells, fragments)
        return checked

    def _rows(
        self,
        rows: Sequence[list[Any]],
        bodies: list[str],
        key_texts: Sequence[str | None],
        uniques: list[dict[str, str]],
        refused: dict[int, list[str]],
        blank: set[int],
    ) -> Iterator[CheckedRow]:
        for index, (row, body) in enumerate(zip(rows, bodies, strict=True)):
            if index in blank:
                self.blank += 1
            elif index in refused:
                yield CheckedRow(row[0], None, key_texts[index], b"", refused[index], uniques[index])
            elif body == self.empty and _is_blank(row[1]):
                self.blank += 1
            else:
                yield CheckedRow(row[0], body, key_texts[index], keys.digest(body), (), uniques[index])

    def fault(self, *, row: int, name: str, code: str, value: str, **detail: Any) -> str:
        """The text of one more fault of a row, which is counted, for the checks that others do over the whole
        file: unique and primary_key_duplicate take rows="3, 8", unique_stored nothing."""
        place, column = next(entry for entry in self.placed if entry[1].name == name)
        return self._fault(row, place, column.name, code, value, detail)

    @property
    def assumptions(self) -> list[dict[str, Any]]:
        """What was taken for granted; complete after the last batch."""
        found = list(self.header.assumptions) if self.header else []
        percent = [
            column.name for column in self.columns if isinstance(column, NumberColumn) and column.percent_seen
        ]
        zeros = [
            column.name for column in self.columns if isinstance(column, TextColumn) and column.zeros_filled
        ]
        if percent:
            found.append(messages.assumption("percent_as_fraction", columns=percent))
        if zeros:
            found.append(messages.assumption("zeros_filled", columns=zeros))
        return found

    def _faults(
        self, rows: Sequence[list[Any]], cells: list[Any], fragments: list[list[str | None]]
    ) -> tuple[dict[int, list[str]], set[int]]:
        """By index in the batch, in each row from left to right; and which of the rows are blank instead."""
        faulty = [
            [index for index, fragment in enumerate(of_column) if fragment is None]
            if None in of_column
            else []
            for of_column in fragments
        ]
        ragged = [index for index, row in enumerate(rows) if len(row) > 2 and row[2]]
        found: dict[int, list[str]] = {index: [] for index in sorted({*ragged, *chain(*faulty)})}
        blank = {index for index in found if _is_blank(rows[index][1])}
        for (place, column), values, indexes in sorted(
            zip(self.placed, cells, faulty, strict=True), key=lambda entry: entry[0][0]
        ):
            at = [index for index in indexes if index not in blank] if blank else indexes
            if at:
                told = self._explained(place, column, [values[i] for i in at], [rows[i][0] for i in at])
                for index, text in zip(at, told, strict=True):
                    found[index].append(text)
        for index in ragged:
            if index not in blank:
                found[index].append(self._ragged(rows[index]))
        return found, blank

    def _explained(
        self, place: int, column: Column, cells: Sequence[WireCell], rows: Sequence[int]
    ) -> list[str]:
        known = self.column_faults.get(column.name)
        if known is None:
            heading, letters = self._heading(place, column.name)
            known = self.column_faults[column.name] = ColumnFaults(letters, heading, self.tally)
        return known.texts(cells, column.explain(cells), rows)

    def _ragged(self, row: list[Any]) -> str:
        """A row of a CSV file with too many or too few cells: its values may stand under wrong headers."""
        headers = self.header.headers if self.header else []
        if "extra" in row[2]:
            return self._fault(row[0], len(headers), "", "extra_cells", "", {"count": row[2]["extra"]})
        place = len(headers) - row[2]["missing"]
        return self._fault(row[0], place, "", "missing_cells", "", {"count": row[2]["missing"]})

    def _fault(self, row: int, place: int, name: str, code: str, value: str, detail: dict[str, Any]) -> str:
        heading, letters = self._heading(place, name)
        self.tally.add(code, letters, heading, value, detail, [row])
        return faults.text(letters, heading, code, value, detail)

    def _heading(self, place: int, name: str) -> tuple[str, str]:
        known = self.headings.get((place, name))
        if known is None:
            headers = self.header.headers if self.header else []
            heading = headers[place] if 0 <= place < len(headers) else name
            known = self.headings[place, name] = heading, column_letters(place) if place >= 0 else ""
        return known

    def _keys(
        self, indexes: list[int], cells: list[Any], fragments: list[list[str | None]]
    ) -> Sequence[str | None]:
        """The text of the key that these columns make; None where one of them is faulty."""
        if not indexes:
            return [None] * len(fragments[0])
        template = "[" + ",".join(["%s"] * len(indexes)) + "]"
        parts = [self.columns[index].key_fragments(cells[index], fragments[index]) for index in indexes]
        if any(None in part for part in parts):
            return [None if None in row else template % row for row in zip(*parts, strict=True)]
        return list(map(template.__mod__, zip(*parts, strict=True)))

    def _refer(
        self,
        rows: Sequence[list[Any]],
        checked: list[CheckedRow],
        cells: list[Any],
        fragments: list[list[str | None]],
    ) -> None:
        """A reference all of whose fields are blank names nothing."""
        texts_by_key = [self._keys(indexes, cells, fragments) for indexes in self.reference_indexes]
        blanks = ["[" + ",".join([NULL] * len(indexes)) + "]" for indexes in self.reference_indexes]
        named = {
            row[0]: [None if text == blank else text for text, blank in zip(found, blanks, strict=True)]
            for row, *found in zip(rows, *texts_by_key, strict=True)
        }
        for row in checked:
            row.references = named[row.row]

    def _uniques(
        self, cells: list[Any], fragments: list[list[str | None]], count: int
    ) -> Iterable[dict[str, str]]:
        if not self.unique_indexes:
            nothing: dict[str, str] = {}
            return [nothing] * count
        names = [self.columns[index].name for index in self.unique_indexes]
        parts = [
            self.columns[index].key_fragments(cells[index], fragments[index]) for index in self.unique_indexes
        ]
        return (
            {name: part for name, part in zip(names, row, strict=True) if part is not None and part != NULL}
            for row in zip(*parts, strict=True)
        )


def _is_blank(cells: Sequence[WireCell]) -> bool:
    return all(cell is None or (isinstance(cell, str) and texts.is_blank(cell)) for cell in cells)
