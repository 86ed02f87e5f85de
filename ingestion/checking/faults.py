"""What is wrong with cells, as JSON texts that are put together a column at a time; and how often each rule
was broken. Sentences are made of them when somebody reads.

A fault is stored as {column, header, code, value, detail}; `detail` is left out where it is empty.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion.checking import messages, texts
from ingestion.checking.columns import Fault, encode
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import MARK, WireCell

# A rule's count says in which blocks of so many rows it occurs: a page of its rows looks into those only.
BLOCK_ROWS = 250
MOST_HEADS = 10_000  # remembered for a column: some details tell of the cell, as its length
Detail = dict[str, Any]
fifteen = "%.15g".__mod__
# A date, a time or both, as they stand on the wire.
MOMENT = re.compile(f"{MARK}d[0-9T:.-]+{MARK}[a-z]+", re.ASCII).fullmatch


def shown_texts(
    cells: Sequence[WireCell],
    *,
    most: int = texts.LONGEST_SHOWN,
    each: Callable[[WireCell], str] = cell_text,
) -> list[str]:
    """`each` of them, none longer than `most`: the many columns that hold plain text or plain numbers only
    need no look at every cell.
    """
    kinds = set(map(type, cells))
    if kinds == {str} and all(map(MOMENT, cells)):  # type: ignore[arg-type]
        return [cell[2 : cell.find(MARK, 2)] for cell in cells]  # type: ignore[union-attr,index]
    if kinds == {str}:
        joined = "".join(cells)  # type: ignore[arg-type]
        if joined.isprintable() and max(map(len, cells)) <= most:  # type: ignore[arg-type]
            return cells if isinstance(cells, list) else list(cells)  # type: ignore[arg-type]
    elif kinds <= {int, float}:
        numbers = list(map(fifteen, cells))
        if "e" not in "".join(numbers) and "-0" not in numbers:
            return numbers
    return list(map(each, cells))


def head(letters: str, heading: str, code: str, detail: Detail) -> str:
    """The text of a fault up to its value."""
    told = f'"detail":{_json(detail)},' if detail else ""
    return f'{{"column":{encode(letters)},"header":{encode(heading)},"code":{encode(code)},{told}"value":'


def text(letters: str, heading: str, code: str, value: str, detail: Detail) -> str:
    return f"{head(letters, heading, code, detail)}{encode(value)}}}"


def told(fault: dict[str, Any], row: int) -> dict[str, Any]:
    """A stored fault as people and programs are told of it: with its cell, a sentence and a remedy."""
    cell = f"{fault['column']}{row}" if fault["column"] else ""
    if "message" in fault:  # stored with its sentences, as it once was
        return {**fault, "cell": cell}
    code, heading, value = fault["code"], fault["header"], fault["value"]
    message, remedy = messages.row_message(code, header=heading, value=value, **fault.get("detail", {}))
    return {
        "column": fault["column"],
        "header": heading,
        "cell": cell,
        "value": value,
        "code": code,
        "message": message,
        "remedy": remedy,
    }


def again(fault: dict[str, Any]) -> str:
    """The text of a stored fault, which may have been stored with its sentences."""
    stored = {name: fault[name] for name in ("column", "header", "code", "detail", "value") if name in fault}
    told = {name: fault[name] for name in ("message", "remedy") if name in fault}
    return _json(stored | told)


@dataclass
class Broken:
    """How often a rule was broken in a column, in which blocks of rows, and the first place."""

    rows: int = 0
    blocks: set[int] = field(default_factory=set)
    first: int = 0
    heading: str = ""
    value: str = ""
    detail: Detail = field(default_factory=dict)


class Tally:
    """Exact counts per rule and column letter, kept while rows are checked."""

    def __init__(self) -> None:
        self.broken: dict[tuple[str, str], Broken] = {}
        self.faults = 0

    def add(
        self, code: str, letters: str, heading: str, value: str, detail: Detail, rows: Sequence[int]
    ) -> None:
        """`rows` in order; value and detail are those of the first."""
        found = self.broken.setdefault((code, letters), Broken())
        if not found.rows or rows[0] < found.first:
            found.first, found.heading, found.value, found.detail = rows[0], heading, value, detail
        found.rows += len(rows)
        found.blocks.update([row // BLOCK_ROWS for row in rows])
        self.faults += len(rows)

    def add_text(self, fault: str, row: int) -> None:
        """One fault of one row, by its text."""
        read = json.loads(fault)
        self.add(read["code"], read["column"], read["header"], read["value"], read.get("detail", {}), [row])


class ColumnFaults:
    """The faults of one column of a file, batch by batch."""

    def __init__(self, letters: str, heading: str, tally: Tally) -> None:
        self.letters, self.heading, self.tally = letters, heading, tally
        self.heads: dict[tuple[Any, ...], str] = {}

    def texts(
        self, cells: Sequence[WireCell], explained: Sequence[Sequence[Fault]], rows: Sequence[int]
    ) -> list[str]:
        """For each faulty cell the texts of its faults, with commas between them."""
        shown = shown_texts(cells)
        values = list(map(encode, shown))
        first = explained[0]
        if len(first) == 1 and explained.count(first) == len(explained):
            code, detail = first[0]
            self.tally.add(code, self.letters, self.heading, shown[0], detail, rows)
            begins = self._head(code, detail)
            return [f"{begins}{value}}}" for value in values]
        self._count(explained, shown, rows)
        return [
            ",".join([f"{self._head(code, detail)}{value}}}" for code, detail in faults])
            for faults, value in zip(explained, values, strict=True)
        ]

    def _count(self, explained: Sequence[Sequence[Fault]], shown: Sequence[str], rows: Sequence[int]) -> None:
        by_code: dict[str, tuple[list[int], str, Detail]] = {}
        for faults, value, row in zip(explained, shown, rows, strict=True):
            for code, detail in faults:
                by_code.setdefault(code, ([], value, detail))[0].append(row)
        for code, (numbers, value, detail) in by_code.items():
            self.tally.add(code, self.letters, self.heading, value, detail, numbers)

    def _head(self, code: str, detail: Detail) -> str:
        key = (code, *detail.values())
        known = self.heads.get(key)
        if known is None:
            known = head(self.letters, self.heading, code, detail)
            if len(self.heads) < MOST_HEADS:
                self.heads[key] = known
        return known


def split(joined: Iterable[str]) -> list[dict[str, Any]]:
    """The faults of texts as `ColumnFaults.texts` gives them."""
    return json.loads(f"[{','.join(joined)}]")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
