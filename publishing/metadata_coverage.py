"""Checks of where and when the data are of: a bounding box, and a period."""

import math
from datetime import date
from typing import Any

from publishing.metadata_values import Problems

SIDES = ("west", "south", "east", "north")


def bounding_box(value: Any, path: str, problems: Problems) -> list[float] | None:
    """Degrees of longitude and latitude. West may lie east of east: a box across the date line."""
    if value in (None, [], ["", "", "", ""]):
        return None
    if not isinstance(value, list) or len(value) != len(SIDES):
        problems.wrong_type(path, "four numbers: west, south, east, north")
        return None
    degrees = [_degrees(each, side, path, problems) for each, side in zip(value, SIDES, strict=True)]
    if None in degrees:
        return None
    west, south, east, north = (each for each in degrees if each is not None)
    if south > north:
        problems.add(f"{path}.1", "bbox_upside_down", "South lies north of north.", "Exchange the two.")
        return None
    return [west, south, east, north]


def _degrees(value: Any, side: str, path: str, problems: Problems) -> float | None:
    most = 180 if side in ("west", "east") else 90
    where = f"{path}.{SIDES.index(side)}"
    try:
        degrees = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        degrees = math.nan
    if math.isfinite(degrees) and abs(degrees) <= most:
        return round(degrees, 7) + 0.0  # 1 cm; never minus nought
    problems.add(
        where,
        "bbox_number",
        f"The {side} side is no number from -{most} to {most}.",
        "Write degrees with a point, for instance 59.33.",
    )
    return None


def period(value: Any, path: str, problems: Problems) -> dict[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.wrong_type(path, "an object with start and end")
        return None
    for name in value.keys() - {"start", "end"}:
        problems.add(
            f"{path}.{str(name)[:40]}", "unknown_field", "There is no such field.", "There are start and end."
        )
    days = {name: _day(value.get(name), f"{path}.{name}", problems) for name in ("start", "end")}
    start, end = days["start"], days["end"]
    if start and end and start > end:
        problems.add(f"{path}.end", "period_backwards", "The end lies before the start.", "Exchange the two.")
        return None
    return {name: day.isoformat() for name, day in days.items() if day}


def _day(value: Any, path: str, problems: Problems) -> date | None:
    if value in (None, ""):
        return None
    try:
        return value if type(value) is date else date.fromisoformat(value.strip())
    except (AttributeError, ValueError):
        problems.add(
            path,
            "not_a_date",
            f"{str(value)[:40]!r} is no date.",
            "Write it like 2026-01-31: year, month, day.",
        )
        return None
