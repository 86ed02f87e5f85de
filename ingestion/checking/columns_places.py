"""Columns of places: longitude, then latitude, in degrees, in the form that the field declares."""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ingestion.checking import shown
from ingestion.checking.columns import Column, Faulty, encode
from ingestion.reading.cells import Cell, WireCell

PAIR = re.compile(r"([+-]?\d{1,3}(?:\.\d{1,30})?)\s*,\s*([+-]?\d{1,3}(?:\.\d{1,30})?)", re.ASCII).fullmatch
LONGEST = 200
MOST_LONGITUDE, MOST_LATITUDE = 180, 90
MOST_PLACES = 30  # before and after the point: beyond them a number is no angle, and arithmetic would fail
EXAMPLES = {"default": "14.5, 50.1", "array": "[14.5, 50.1]", "object": '{"lon": 14.5, "lat": 50.1}'}


class Place(NamedTuple):
    lon: Decimal
    lat: Decimal


class PlaceColumn(Column):
    """Equal places are stored alike, however they were typed. A number alone is no place."""

    def text(self, text: str) -> Place:
        place = self._pair(text) if self.format == "default" else self._json(text)
        if abs(place.lon) > MOST_LONGITUDE or abs(place.lat) > MOST_LATITUDE:
            raise Faulty(("geopoint_range", {"lon": shown.digits(place.lon), "lat": shown.digits(place.lat)}))
        return place

    def number(self, number: int | float) -> Any:
        raise self._wrong()

    def other(self, cell: Cell) -> Any:
        raise self._wrong()

    def from_schema(self, value: Any) -> WireCell:
        return json.dumps(value) if isinstance(value, dict | list) else super().from_schema(value)

    def fragment(self, value: Any) -> str:
        lon, lat = shown.digits(value.lon), shown.digits(value.lat)
        if self.format == "array":
            return f"[{lon},{lat}]"
        if self.format == "object":
            return f'{{"lat":{lat},"lon":{lon}}}'
        return encode(f"{lon}, {lat}")

    def _pair(self, text: str) -> Place:
        match = PAIR(text.strip())
        if not match:
            raise self._wrong()
        return Place(Decimal(match[1]), Decimal(match[2]))

    def _json(self, text: str) -> Place:
        try:
            found = json.loads(text, parse_float=Decimal, parse_int=Decimal) if len(text) <= LONGEST else None
        except (ValueError, InvalidOperation, RecursionError) as error:
            raise self._wrong() from error
        if self.format == "object" and isinstance(found, dict) and found.keys() == {"lon", "lat"}:
            found = [found["lon"], found["lat"]]
        elif self.format == "object":
            raise self._wrong()
        if not isinstance(found, list) or len(found) != 2 or not all(map(_is_degrees, found)):
            raise self._wrong()
        return Place(*found)

    def _wrong(self) -> Faulty:
        return Faulty(("type_geopoint", {"example": EXAMPLES[self.format]}))


def _is_degrees(value: Any) -> bool:
    return isinstance(value, Decimal) and (not value or abs(value.adjusted()) <= MOST_PLACES)
