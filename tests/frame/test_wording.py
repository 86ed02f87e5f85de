from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from work import wording

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def plain(words):
    return words.replace(wording.THIN, " ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (0, "0"),
        (999, "999"),
        (1234567, "1 234 567"),
        (-4200, "-4 200"),
        (2.0, "2"),
        (2.46, "2.5"),
        (2140.4, "2 140"),
        (Decimal("1234.50"), "1 234.50"),
    ],
)
def test_number_is_grouped(value, said):
    assert plain(wording.number(value)) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (0, "0 bytes"),
        (1023, "1 023 bytes"),
        (1024, "1.0 KiB"),
        (7_340_032, "7.0 MiB"),
        (536_870_912, "512 MiB"),
        (50 * 1024**3, "50.0 GiB"),
        (3 * 1024**4, "3 TiB"),
    ],
)
def test_size_names_its_unit(value, said):
    assert plain(wording.size(value)) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (0, "0 ms"),
        (0.0042, "4 ms"),
        (0.9996, "1.0 s"),
        (6.14, "6.1 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (131, "2 min 11 s"),
        (7500, "2 h 5 min"),
        (timedelta(days=1, hours=2), "1 d 2 h"),
        (timedelta(seconds=-38), "−38 s"),
        (Decimal("30.0"), "30 s"),
    ],
)
def test_duration_has_two_units_at_most(value, said):
    assert plain(wording.duration(value)) == said


@pytest.mark.parametrize(
    ("seconds_ago", "said"),
    [
        (0, "now"),
        (-4, "now"),
        (38, "38 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (7200, "2 h ago"),
        (86400, "1 day ago"),
        (6 * 86400, "6 days ago"),
        (7 * 86400, "23 Nov 2026"),
        (-720, "in 12 min"),
        (-8 * 86400, "8 Dec 2026"),
    ],
)
def test_relative_is_in_words_for_a_week(seconds_ago, said):
    moment = NOON - timedelta(seconds=seconds_ago)

    assert plain(wording.relative(moment, now=NOON)) == said


def test_moments_are_said_in_the_active_zone():
    with timezone.override("Europe/Stockholm"):
        assert wording.clock(NOON) == "13:00:00"
        assert wording.exact(NOON) == "Mon 30 Nov 2026, 13:00:00 CET"
        assert wording.machine(NOON) == "2026-11-30T12:00:00.000Z"
