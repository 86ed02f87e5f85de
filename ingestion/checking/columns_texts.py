"""Columns of text, of yes and no, and of anything."""

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ingestion.checking import shown, texts
from ingestion.checking.columns import Column, Fault, Faulty, encode
from ingestion.checking.patterns import LONGEST_TEXT, Fits, compile_pattern
from ingestion.reading.cells import Cell, WireCell

# Numbers of 16 digits and more have lost some of them before the file was saved.
DIGITS_KEPT = 10**15
EMAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}\Z)[^\W_](?:[\w-]{0,61}[^\W_])?"
    r"(?:\.[^\W_](?:[\w-]{0,61}[^\W_])?)+"
).fullmatch
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}").fullmatch
URI_START = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+").fullmatch


def is_uri(text: str) -> bool:
    if not URI_START(text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.netloc) or parts.scheme not in ("http", "https", "ftp")


FORMATS: dict[str, Fits] = {"email": EMAIL, "uuid": UUID, "uri": is_uri}


class TextColumn(Column):
    """The text is stored as typed. Numbers come as the spreadsheet shows them, with their leading zeros."""

    def prepare(self, field: dict[str, Any]) -> None:
        constraints = field.get("constraints", {})
        self.shortest = int(constraints.get("minLength", 0))
        self.longest: int | None = int(constraints["maxLength"]) if "maxLength" in constraints else None
        self.pattern: str = constraints.get("pattern", "")
        self.fits: Fits | None = compile_pattern(self.pattern) if self.pattern else None
        self.fits_format: Fits | None = FORMATS.get(self.format)
        self.zeros_filled = False
        self.explained: dict[WireCell, list[Fault]] = {}  # of the plain texts of the last batch
        self.wrong_form: list[Fault] = [("pattern", {"pattern": self.pattern})]

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        if self.enum is not None:
            return super().convert(cells)
        get, self.explained = self.get, {}
        fragments = [encode(cell) if cell.__class__ is str else get(cell) for cell in cells]
        plain = [cell for cell in cells if cell.__class__ is str]
        if self._all_plain(plain):
            if self._all_meet(plain):
                return fragments
            faulty = self.explained = {cell: found for cell in plain if (found := self._text_faults(cell))}
            return [
                None if cell in faulty else fragment for cell, fragment in zip(cells, fragments, strict=True)
            ]
        # Without the memo: texts that repeat stand in columns with an enum.
        return list(map(self.memo.look, cells))

    def explain(self, cells: Sequence[WireCell]) -> Sequence[Sequence[Fault]]:
        """Plain texts that are faulty are too long, too short, or of another form."""
        explained = self.explained
        return [explained.get(cell) or self.faults(cell) for cell in cells]

    def _all_plain(self, cells: list[Any]) -> bool:
        """True when none of these texts is blank or a marked cell, or has a character that is not meant."""
        if not cells:
            return True
        joined = "".join(cells)
        if not joined.isprintable() and (texts.CONTROL.search(joined) or texts.ZERO_WIDTH.search(joined)):
            return False
        if not self.missing.isdisjoint(map(str.strip, cells)) or not self.missing.isdisjoint(cells):
            return False
        return all(map(str.strip, cells))

    def _all_meet(self, cells: list[Any]) -> bool:
        """True when nothing is wrong with any of these plain texts."""
        if not cells:
            return True
        if self.longest is not None and max(map(len, cells)) > self.longest:
            return False
        if self.shortest and min(map(len, cells)) < self.shortest:
            return False
        if self.fits_format and not all(map(self.fits_format, cells)):
            return False
        return not self.fits or (max(map(len, cells)) <= LONGEST_TEXT and all(map(self.fits, cells)))

    def checked(self, value: Any) -> str:
        faults = self._text_faults(value)
        if faults:
            raise Faulty(*faults)
        return super().checked(value)

    def _text_faults(self, value: str) -> list[Fault]:
        wrong_length = self._length_faults(value)
        wrong_form = self._form_faults(value) if self.fits or self.fits_format else []
        return wrong_length + wrong_form if wrong_length and wrong_form else wrong_length or wrong_form

    def text(self, text: str) -> str:
        return text

    def number(self, number: int | float) -> str:
        if abs(number) >= DIGITS_KEPT:
            raise Faulty(("digits_lost", {}))
        return shown.digits(shown.fifteen_digits(repr(number)))

    def other(self, cell: Cell) -> str:
        if cell.type == "n":
            if abs(float(cell.raw)) >= DIGITS_KEPT:
                raise Faulty(("digits_lost", {}))
            self.zeros_filled |= cell.format[:2] == "z:"
        return shown.plain_text(cell)

    def fragment(self, value: Any) -> str:
        return encode(value)

    def key_fragments(
        self, cells: Sequence[WireCell], fragments: Sequence[str | None]
    ) -> Sequence[str | None]:
        if all(map(_is_canonical, cells)):
            return fragments
        return [
            fragment if fragment is None or _is_canonical(cell) else _canonical_fragment(fragment)
            for cell, fragment in zip(cells, fragments, strict=True)
        ]

    def _length_faults(self, value: str) -> list[Fault]:
        if self.shortest and len(value) < self.shortest:
            return [("min_length", {"limit": self.shortest})]
        if self.longest is not None and len(value) > self.longest:
            return [("max_length", {"limit": self.longest})]
        return []

    def _form_faults(self, value: str) -> list[Fault]:
        faults: list[Fault] = []
        if self.fits_format and not self.fits_format(value):
            faults.append((f"format_{self.format}", {}))
        if self.fits and len(value) > LONGEST_TEXT:
            faults.append(("too_long", {"length": len(value), "most": LONGEST_TEXT}))
        elif self.fits and not self.fits(value):
            return faults + self.wrong_form if faults else self.wrong_form
        return faults


class BooleanColumn(Column):
    """Booleans, or words: those that the field declares, else those of the standard and the locale."""

    def prepare(self, field: dict[str, Any]) -> None:
        true = field.get("trueValues", ["true", "True", "TRUE", "1", *self.locale.true])
        false = field.get("falseValues", ["false", "False", "FALSE", "0", *self.locale.false])
        self.words = dict.fromkeys(true, "true") | dict.fromkeys(false, "false")
        self.folded = {word.casefold(): value for word, value in self.words.items()}

    def text(self, text: str) -> str:
        text = text.strip()
        value = self.words.get(text) or self.folded.get(text.casefold())
        if value is None:
            raise self._not_boolean()
        return value

    def number(self, number: int | float) -> str:
        value = self.words.get(shown.digits(shown.fifteen_digits(repr(number))))
        if value is None:
            raise self._not_boolean()
        return value

    def other(self, cell: Cell) -> str:
        if cell.type == "b":
            return "true" if cell.raw == "1" else "false"
        raise self._not_boolean()

    def _not_boolean(self) -> Faulty:
        return Faulty(("type_boolean", {"words": ", ".join(list(self.words)[:12])}))


class AnyColumn(TextColumn):
    """Whatever the cell is: text, number, or true and false."""

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        return Column.convert(self, cells)

    def number(self, number: int | float) -> Any:
        return shown.fifteen_digits(repr(number)) if abs(number) < DIGITS_KEPT else super().number(number)

    def other(self, cell: Cell) -> Any:
        if cell.type == "b":
            return cell.raw == "1"
        if cell.type == "n" and cell.format[:2] != "z:":
            return shown.fifteen_digits(cell.raw)
        return super().other(cell)

    def checked(self, value: Any) -> str:
        return super().checked(value) if isinstance(value, str) else Column.checked(self, value)

    def fragment(self, value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return encode(value) if isinstance(value, str) else shown.digits(value)

    def key_fragments(
        self, cells: Sequence[WireCell], fragments: Sequence[str | None]
    ) -> Sequence[str | None]:
        return [fragment and _canonical_fragment(fragment) for fragment in fragments]


def _is_canonical(cell: WireCell) -> bool:
    """Text that texts.canonical would leave as it is, told without doing it."""
    return isinstance(cell, str) and cell.isascii() and cell.isprintable() and " ".join(cell.split()) == cell


def _canonical_fragment(fragment: str) -> str:
    if fragment[:1] != '"':
        return fragment
    return encode(texts.canonical(json.loads(fragment)))
