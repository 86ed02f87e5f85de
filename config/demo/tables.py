"""Real data for the demo, as tables: a header and rows. From `airportsdata` and from Python's own library."""

import datetime as dt
import math
import mimetypes
import re
import sys
import unicodedata
import zoneinfo
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import airportsdata

Table = list[list[Any]]
EUROPEAN = (
    "AD AL AT BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME "
    "MK MT NL NO PL PT RO RS SE SI SK SM UA VA"
)
AMERICAN = "AR BO BR BS CA CL CO CR CU EC GT HN JM MX NI PA PE PY SR SV UY VE"
EUROPE, AMERICAS = frozenset(EUROPEAN.split()), frozenset(AMERICAN.split())
AIRPORT_HEADER = [
    "icao", "iata", "name", "city", "subdivision", "country", "elevation_ft", "latitude", "longitude",
    "time_zone",
]  # fmt: skip
JANUARY, JULY = dt.date(2026, 1, 1), dt.date(2026, 7, 1)


@cache
def _airports() -> Sequence[dict[str, Any]]:
    known = airportsdata.load("ICAO").items()
    return [dict(airport) for code, airport in sorted(known) if re.fullmatch("[A-Z0-9]{4}", code)]


def airports(countries: Iterable[str]) -> Table:
    wanted = frozenset(countries)
    keys = ("icao", "iata", "name", "city", "subd", "country", "elevation", "lat", "lon", "tz")
    chosen = [airport for airport in _airports() if airport["country"] in wanted]
    return [list(AIRPORT_HEADER), *([airport[key] or None for key in keys[:6]] + [
        airport[key] for key in keys[6:]] for airport in chosen)]  # fmt: skip


def distances(start: str, countries: Iterable[str]) -> Table:
    """Along the great circle, from one airport to those of some countries that have an IATA code."""
    wanted, by_code = frozenset(countries), {airport["icao"]: airport for airport in _airports()}
    ends = [airport for airport in by_code.values() if airport["country"] in wanted and airport["iata"]]
    rows = []
    for end in ends:
        if end["icao"] != start:
            kilometres = _kilometres(by_code[start], end)
            rows.append([start, end["icao"], round(kilometres, 1), round(kilometres / 1.852, 1)])
    return [["From ICAO", "To ICAO", "Distance km", "Distance NM"], *rows]


def _kilometres(one: dict[str, Any], other: dict[str, Any]) -> float:
    north, east = math.radians(one["lat"]), math.radians(other["lon"] - one["lon"])
    to_north = math.radians(other["lat"])
    cosine = math.sin(north) * math.sin(to_north) + math.cos(north) * math.cos(to_north) * math.cos(east)
    return 6371.0 * math.acos(max(-1.0, min(1.0, cosine)))


def countries() -> Table:
    found: dict[str, list[dict[str, Any]]] = {}
    for airport in _airports():
        if re.fullmatch("[A-Z]{2}", airport["country"]):
            found.setdefault(airport["country"], []).append(airport)
    rows = [
        [
            code,
            len(own),
            max(airport["elevation"] for airport in own),
            len({airport["tz"] for airport in own}),
        ]
        for code, own in sorted(found.items())
    ]
    return [["Country", "Airports", "Highest airport in feet", "Time zones"], *rows]


def metropolitan_areas() -> Table:
    areas = sorted(airportsdata.load_iata_macs().items())
    rows = [
        [code, area["name"], area["country"], iata]
        for code, area in areas
        for iata in sorted(area["airports"])
    ]
    return [["code", "name", "country", "airport"], *rows]


def time_zones(as_of: dt.date = JANUARY) -> Table:
    rows = []
    for name in sorted(zoneinfo.available_timezones() - {"localtime", "posixrules", "Factory"}):
        zone = zoneinfo.ZoneInfo(name)
        winter, summer = (_offset(zone, month) for month in (1, 7))
        rows.append([name, winter, summer, winter != summer, as_of])
    return [["zone", "winter_offset_minutes", "summer_offset_minutes", "changes_clocks", "as_of"], *rows]


def _offset(zone: zoneinfo.ZoneInfo, month: int) -> int:
    offset = dt.datetime(JANUARY.year, month, 1, 12, tzinfo=zone).utcoffset() or dt.timedelta(0)
    return round(offset.total_seconds() / 60)


def currency_signs() -> Table:
    signs = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)) == "Sc"]
    # The wide and small forms of a sign count as the sign itself.
    plain = [sign for sign in signs if unicodedata.normalize("NFKC", sign) == sign]
    rows = [[f"U+{ord(sign):04X}", sign, unicodedata.name(sign).capitalize()] for sign in plain]
    return [["code_point", "sign", "name"], *rows]


def media_types() -> Table:
    known = mimetypes.MimeTypes(filenames=()).types_map[True]
    return [["suffix", "media_type"], *([suffix, known[suffix]] for suffix in sorted(known))]
