"""How numbers, sizes, durations and moments are said to people, the same on every page and in every mail."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.utils import timezone

THIN = "\u202f"  # narrow no-break space: groups digits, and keeps a number and its unit on one line


def number(value: int | float | Decimal | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        value = round(value, 1 if abs(value) < 100 else 0)
        value = int(value) if value.is_integer() else value
    return f"{value:,}".replace(",", THIN)


def size(value: int | None) -> str:
    if value is None:
        return "–"
    amount = float(value)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if abs(amount) < 1024:
            return (
                f"{number(int(amount)) if unit == 'bytes' or amount >= 100 else round(amount, 1)}{THIN}{unit}"
            )
        amount /= 1024
    return f"{number(round(amount, 1))}{THIN}TiB"


def duration(value: timedelta | int | float | Decimal | None) -> str:
    """Two units at most: nobody acts on the seconds of a duration of hours."""
    if value is None:
        return "–"
    seconds = value.total_seconds() if isinstance(value, timedelta) else float(value)
    sign, seconds = ("−" if seconds <= -0.0005 else ""), abs(seconds)
    if seconds < 0.9995:
        return f"{sign}{round(seconds * 1000)}{THIN}ms"
    if seconds < 9.95:
        return f"{sign}{seconds:.1f}{THIN}s"
    return sign + _two_units(round(seconds))


def _two_units(seconds: int) -> str:
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if not minutes:
        return f"{seconds}{THIN}s"
    if not hours:
        return _joined(minutes, "min", seconds % 60, "s")
    if not days:
        return _joined(hours, "h", minutes % 60, "min")
    return _joined(days, "d", hours % 24, "h")


def _joined(large: int, large_unit: str, small: int, small_unit: str) -> str:
    first = f"{number(large)}{THIN}{large_unit}"
    return f"{first} {small}{THIN}{small_unit}" if small else first


def relative(moment: datetime, *, now: datetime | None = None) -> str:
    """In words up to a week either way, then the date. Keep in step with static/js/times.js."""
    seconds = round(((now or timezone.now()) - moment).total_seconds())
    if abs(seconds) < 5:
        return "now"
    if abs(seconds) >= 7 * 86400:
        return date(moment)
    words = _largest_unit(abs(seconds))
    return f"{words} ago" if seconds > 0 else f"in {words}"


def _largest_unit(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds}{THIN}s"
    if seconds < 3600:
        return f"{seconds // 60}{THIN}min"
    if seconds < 86400:
        return f"{seconds // 3600}{THIN}h"
    days = seconds // 86400
    return f"{days}{THIN}day" if days == 1 else f"{days}{THIN}days"


def date(moment: datetime) -> str:
    local = timezone.localtime(moment)
    return f"{local.day} {local:%b %Y}"


def clock(moment: datetime) -> str:
    return f"{timezone.localtime(moment):%H:%M:%S}"


def exact(moment: datetime) -> str:
    local = timezone.localtime(moment)
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M:%S} {local.tzname()}"


def machine(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
