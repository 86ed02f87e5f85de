"""One column of a batch at a time: from cells on the wire to JSON texts, which is what is stored.
A value that was seen before costs one look into a dict; a faulty one gives None and is explained later."""

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring
from typing import Any

from ingestion.checking import texts
from ingestion.checking.locales import Locale
from ingestion.checking.messages import listed
from ingestion.reading.cells import DATE, DATETIME, MARK, Cell, WireCell, decode

NULL = "null"
MOST_REMEMBERED = 20_000
Fault = tuple[str, dict[str, Any]]
encode = encode_basestring


class Faulty(Exception):
    """The cell does not pass; carries all its faults as (code, detail)."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults)
        self.faults = list(faults)


class Memo(dict[WireCell, str | None]):
    """The JSON text of each cell that was seen; None for a faulty one, whose faults are kept beside it."""

    def __init__(self, read: Callable[[WireCell], str]) -> None:
        super().__init__()
        self.read = read
        self.faults: dict[WireCell, list[Fault]] = {}

    def __missing__(self, cell: WireCell) -> str | None:
        fragment = self.look(cell)
        if len(self) < MOST_REMEMBERED:
            self[cell] = fragment
        return fragment

    def look(self, cell: WireCell) -> str | None:
        """Read a cell without remembering its text."""
        try:
            return self.read(cell)
        except Faulty as faulty:
            if len(self.faults) >= MOST_REMEMBERED:
                self.faults.clear()
            self.faults[cell] = faulty.faults
            return None


class Column:
    """Base of the types: blanks, error values and constraints, which all of them share."""

    def __init__(
        self, field: dict[str, Any], *, locale: Locale, missing_values: list[str], in_key: bool = False
    ) -> None:
        constraints = field.get("constraints", {})
        self.name: str = field["name"]
        self.title: str = field.get("title") or ""
        self.field = field
        self.locale = locale
        self.format: str = field.get("format", "default")
        self.missing = frozenset(missing_values)
        self.required = in_key or constraints.get("required", False)
        self.is_unique: bool = constraints.get("unique", False)
        self.memo = Memo(self.read)
        self.get = self.memo.__getitem__
        self.prepare(field)
        self.minimum = self._limit(constraints.get("minimum"))
        self.maximum = self._limit(constraints.get("maximum"))
        self.too_low: list[Fault] = [("minimum", {"limit": constraints.get("minimum")})]
        self.too_high: list[Fault] = [("maximum", {"limit": constraints.get("maximum")})]
        self.bounded = self.minimum is not None or self.maximum is not None
        self.enum: frozenset[str] | None = None
        if "enum" in constraints:
            self.enum = frozenset(self.fragment(self.value(value)) for value in constraints["enum"])

    def prepare(self, field: dict[str, Any]) -> None:
        """What a type takes from its field."""

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        """The JSON text of each cell, None where the cell is faulty."""
        return list(map(self.get, cells))

    def faults(self, cell: WireCell) -> list[Fault]:
        """Everything that is wrong with a cell. Its batch was read just now, so that it is mostly known."""
        known = self.memo.faults.get(cell)
        if known is not None:
            return known
        try:
            self.read(cell)
        except Faulty as faulty:
            return faulty.faults
        return []

    def explain(self, cells: Sequence[WireCell]) -> Sequence[Sequence[Fault]]:
        """The faults of each of these cells, all of which `convert` found faulty just now."""
        return list(map(self.faults, cells))

    def read(self, cell: WireCell) -> str:
        """The JSON text of one cell, or Faulty."""
        if cell is None:
            return self._blank()
        if isinstance(cell, str):
            if cell[:1] != MARK:
                return self._read_text(cell)
            taken = decode(cell)
            if taken.type == "s":
                return self._read_text(taken.raw)
            return self.typed(taken)
        # 5 and 5.0 are one number, and one entry of the memo.
        if self.missing and (str(int(cell)) if cell == int(cell) else repr(cell)) in self.missing:
            return self._blank()
        return self.checked(self.number(cell))

    def typed(self, cell: Cell) -> str:
        if cell.type == "e":
            raise Faulty(("error_value", {}))
        if cell.type == "f":
            raise Faulty(("not_calculated", {}))
        if cell.type == "n" and cell.format in (DATE, DATETIME):
            never = 0 <= float(cell.raw) < 61
            raise Faulty(("date_never_was" if never else "date_out_of_range", {}))
        return self.checked(self.other(cell))

    def checked(self, value: Any) -> str:
        """The JSON text of a value that meets the constraints of its field."""
        fragment = self.fragment(value)
        faults = list(self._limit_faults(value)) if self.bounded else []
        if self.enum is not None and fragment not in self.enum:
            allowed = [str(entry) for entry in self.field["constraints"]["enum"]]
            faults.append(("enum", {"allowed": listed(allowed)}))
        if faults:
            raise Faulty(*faults)
        return fragment

    def accepts(self, value: Any) -> bool:
        """Is a value of the schema (a bound, an allowed value) one of this type?"""
        try:
            self.value(value)
        except Faulty:
            return False
        return True

    def value(self, value: Any) -> Any:
        """A value of the schema as the type holds it."""
        cell = self.from_schema(value)
        return self.number(cell) if isinstance(cell, int | float) else self.text(str(cell))

    def from_schema(self, value: Any) -> WireCell:
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, int | float | str) else str(value)

    # What the types fill in.
    def text(self, text: str) -> Any:
        """The value of a text that is not blank."""
        raise NotImplementedError

    def number(self, number: int | float) -> Any:
        """The value of a number without a telling format."""
        raise NotImplementedError

    def other(self, cell: Cell) -> Any:
        """The value of a boolean, a date or a number with a telling format."""
        raise NotImplementedError

    def fragment(self, value: Any) -> str:
        """The value as JSON."""
        return str(value)

    def key_fragments(
        self, cells: Sequence[WireCell], fragments: Sequence[str | None]
    ) -> Sequence[str | None]:
        """What makes two cells the same key: the stored value, unless the type knows better."""
        return fragments

    def _read_text(self, text: str) -> str:
        if text in self.missing or texts.is_blank(text):
            return self._blank()
        control = texts.CONTROL.search(text)
        if control:
            raise Faulty(("control_character", {"character": f"U+{ord(control[0]):04X}"}))
        if text.strip() in self.missing:
            return self._blank()
        return self.checked(self.text(text))

    def _blank(self) -> str:
        if self.required:
            raise Faulty(("required", {}))
        return NULL

    def _limit(self, limit: Any) -> Any:
        return None if limit is None else self.value(limit)

    def _limit_faults(self, value: Any) -> list[Fault]:
        if self.minimum is not None and value < self.minimum:
            return self.too_low
        if self.maximum is not None and value > self.maximum:
            return self.too_high
        return []
