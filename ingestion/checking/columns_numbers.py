"""Columns of numbers. Values are exact decimals, and JSON numbers when stored: 12.50 is 12.5 there.
Numbers of a workbook are taken at the 15 digits that a spreadsheet program shows; those of text have all."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ingestion.checking import shown
from ingestion.checking.columns import NULL, Column, Faulty
from ingestion.checking.numbers import LARGEST_EXPONENT, NotANumber, NumberFormat
from ingestion.reading.cells import CURRENCY, DURATION, PERCENT, Cell, WireCell

KEPT_DIGITS = 15
# Text that is the stored number already; the short form can be compared as a float.
READY = re.compile(r"-?(?:[1-9]\d{0,19}(?:\.\d{0,29}[1-9])?|0\.\d{0,28}[1-9])|0", re.ASCII).fullmatch
READY_SHORT = re.compile(r"-?(?:[1-9]\d{0,7}(?:\.\d{0,6}[1-9])?|0\.\d{0,13}[1-9])|0", re.ASCII).fullmatch
fifteen = "%.15g".__mod__


class NumberColumn(Column):
    type_code = "type_number"

    def prepare(self, field: dict[str, Any]) -> None:
        self.written = NumberFormat(
            decimal=field.get("decimalChar") or ("." if "groupChar" in field else None),
            group=field.get("groupChar"),
            bare=field.get("bareNumber", True),
            locale=self.locale,
        )
        self.example = "12" + (self.written.decimal or self.locale.decimal) + "5"
        self.point = (self.written.decimal or self.locale.decimal) == "." and self.written.group != "."
        self.currency: str | None = None
        self.percent_seen = False
        self.plain_only = not any(
            value[:1].isdigit() or value[:1] in "+-." for value in self.missing if value
        )

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        if self.enum is None and self.plain_only:
            try:
                fragments: list[str | None] = list(map(fifteen, cells))
            except TypeError:
                return self._convert_mixed(cells)
            # An exponent means very large, very small, or more than 15 digits.
            if "e" not in "".join(fragments) and "-0" not in fragments and self._within(cells):  # type: ignore[arg-type]
                return fragments
        return super().convert(cells)

    def _convert_mixed(self, cells: Sequence[WireCell]) -> list[str | None]:
        """With texts among them, which are taken as they stand where a point can only be the decimal one."""
        if not self.point:
            return super().convert(cells)
        get, ready = self.get, READY_SHORT if self.bounded else READY
        fragments = [cell if isinstance(cell, str) and ready(cell) else get(cell) for cell in cells]
        if self.bounded:
            # Null is the fragment of a blank, and None of a faulty cell.
            values = [float(fragment) for fragment in fragments if fragment and fragment != NULL]
            if values and not self._within(values):
                return super().convert(cells)
        return fragments

    def _within(self, cells: Sequence[Any]) -> bool:
        return not self.bounded or (
            (self.minimum is None or min(cells) >= self.minimum)
            and (self.maximum is None or max(cells) <= self.maximum)
        )

    def text(self, text: str) -> Decimal:
        try:
            return self.written.parse(text)
        except NotANumber as error:
            raise self.wrong("ambiguous_number" if error.ambiguous else "") from error

    def number(self, number: int | float) -> Decimal:
        return self._kept(Decimal(repr(number)), repr(number))

    def other(self, cell: Cell) -> Decimal:
        if cell.type != "n" or cell.format == DURATION:
            raise self.wrong()
        if cell.format.startswith(CURRENCY):
            self._same_currency(cell.format[len(CURRENCY) :])
        value = self._kept(Decimal(cell.raw), cell.raw)
        if cell.format == PERCENT:
            if not self.written.bare:
                # The text "52%" is 52 in such a column, so a cell that shows 52% is 52 as well.
                return shown.EXACT.multiply(value, shown.HUNDRED)
            self.percent_seen = True
        return value

    def fragment(self, value: Any) -> str:
        return shown.digits(value)

    def wrong(self, code: str = "") -> Faulty:
        return Faulty((code or self.type_code, {"example": self.example}))

    def _kept(self, exact: Decimal, raw: str) -> Decimal:
        whole = exact.adjusted() < LARGEST_EXPONENT and exact == exact.to_integral_value()
        if whole and len(shown.EXACT.normalize(exact).as_tuple().digits) > KEPT_DIGITS:
            raise Faulty(("digits_lost", {}))
        kept = shown.fifteen_digits(raw)
        if not kept.is_finite() or (kept and abs(kept.adjusted()) > LARGEST_EXPONENT):
            raise self.wrong()
        return kept

    def _same_currency(self, currency: str) -> None:
        if self.currency is None:
            self.currency = currency
        elif self.currency != currency:
            raise Faulty(("currency_mixed", {"currency": currency, "first": self.currency}))


class IntegerColumn(NumberColumn):
    type_code = "type_integer"

    def prepare(self, field: dict[str, Any]) -> None:
        super().prepare(field)
        self.example = "42"

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        fragments = super().convert(cells)
        if any("." in fragment for fragment in fragments if fragment):
            return Column.convert(self, cells)
        return fragments

    def checked(self, value: Any) -> str:
        if value != value.to_integral_value():
            raise self.wrong()
        return super().checked(value)

    def other(self, cell: Cell) -> Decimal:
        if cell.format == PERCENT:
            raise self.wrong()
        return super().other(cell)
