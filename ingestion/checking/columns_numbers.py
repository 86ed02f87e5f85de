"""Columns of numbers. Values are exact decimals, and JSON numbers when stored: 12.50 is 12.5 there.
Numbers of a workbook are taken at the 15 digits that a spreadsheet program shows; those of text have all."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from ingestion.checking import shown
from ingestion.checking.columns import NULL, Column, Fault, Faulty
from ingestion.checking.numbers import LARGEST_EXPONENT, NotANumber, NumberFormat
from ingestion.reading.cells import CURRENCY, DURATION, PERCENT, Cell, WireCell

KEPT_DIGITS = 15
# Text that is the stored number already; the short form can be compared as a float.
READY = re.compile(r"-?(?:[1-9]\d{0,19}(?:\.\d{0,29}[1-9])?|0\.\d{0,28}[1-9])|0", re.ASCII).fullmatch
READY_SHORT = re.compile(r"-?(?:[1-9]\d{0,7}(?:\.\d{0,6}[1-9])?|0\.\d{0,13}[1-9])|0", re.ASCII).fullmatch
fifteen = "%.15g".__mod__


def _are_final(fragments: Sequence[str | None]) -> bool:
    """An exponent means very large, very small, or more than 15 digits."""
    return "e" not in "".join(fragments) and "-0" not in fragments  # type: ignore[arg-type]


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
            if _are_final(fragments):
                return fragments if self._within(cells) else self._only_within(fragments)
        return super().convert(cells)

    def explain(self, cells: Sequence[WireCell]) -> Sequence[Sequence[Fault]]:
        """Plain numbers that are faulty lie beyond a bound."""
        if self.enum is None and self.plain_only and set(map(type, cells)) <= {int, float}:
            fragments = list(map(fifteen, cells))
            if _are_final(fragments):
                pairs = zip(fragments, cells, strict=True)
                return [self._bounds(fragment) or self.faults(cell) for fragment, cell in pairs]
        return super().explain(cells)

    def _bounds(self, fragment: str) -> list[Fault]:
        """As `_limit_faults`, for a number as it is stored: at fifteen digits floats keep its order."""
        if self.quick_limits is None:
            return self._limit_faults(Decimal(fragment))
        number, (least, most) = float(fragment), self.quick_limits
        if number < least:
            return self.too_low
        return self.too_high if number > most else []

    @cached_property
    def quick_limits(self) -> tuple[float, float] | None:
        """None where a limit has more digits than a float holds."""
        limits = [limit for limit in (self.minimum, self.maximum) if limit is not None]
        if any(Decimal(fifteen(float(limit))) != limit for limit in limits):
            return None
        least = -math.inf if self.minimum is None else float(self.minimum)
        return least, math.inf if self.maximum is None else float(self.maximum)

    def _only_within(self, fragments: list[str | None]) -> list[str | None]:
        """None in the place of each that lies beyond a bound."""
        return [None if self._bounds(fragment) else fragment for fragment in fragments]  # type: ignore[arg-type]

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

    def explain(self, cells: Sequence[WireCell]) -> Sequence[Sequence[Fault]]:
        """A fraction is no whole number, wherever it lies."""
        if any(isinstance(cell, float) and not cell.is_integer() for cell in cells):
            return Column.explain(self, cells)
        return super().explain(cells)

    def checked(self, value: Any) -> str:
        if value != value.to_integral_value():
            raise self.wrong()
        return super().checked(value)

    def other(self, cell: Cell) -> Decimal:
        if cell.format == PERCENT:
            raise self.wrong()
        return super().other(cell)
