"""When jobs are due: gaps and folds of the clock, month ends, missed slots."""

import datetime as dt

import pytest

from work import calendars

PARIS = "Europe/Paris"


def utc(text):
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def cron(expression, *, after, until, zone=PARIS):
    return [
        f"{slot:%m-%d %H:%M}"
        for slot in calendars.slots_cron(expression, zone, after=utc(after), until=utc(until))
    ]


def test_time_that_the_clocks_skip_runs_once_at_the_first_valid_minute():
    assert cron("30 2 * * *", after="2026-03-27T12:00", until="2026-03-30T12:00") == [
        "03-28 01:30", "03-29 01:00", "03-30 00:30",
    ]  # fmt: skip


def test_time_that_the_clocks_repeat_runs_once():
    assert cron("30 2 * * *", after="2026-10-24T12:00", until="2026-10-26T12:00") == [
        "10-25 00:30", "10-26 01:30",
    ]  # fmt: skip


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)])
def test_hourly_runs_every_hour_that_there_is(day, hours):
    start = dt.datetime.fromisoformat(day).replace(tzinfo=calendars.ZoneInfo(PARIS))
    end = start + dt.timedelta(days=1)  # midnight to midnight by the wall clock
    just_before = dt.timedelta(seconds=1)

    slots = list(
        calendars.slots_cron(
            "0 * * * *",
            PARIS,
            after=start.astimezone(dt.UTC) - just_before,
            until=end.astimezone(dt.UTC) - just_before,
        )
    )

    assert len(slots) == len(set(slots)) == hours


def test_last_day_of_the_month_stays_the_last_day():
    assert cron("0 0 L * *", after="2026-01-15T00:00", until="2026-04-15T00:00", zone="UTC") == [
        "01-31 00:00", "02-28 00:00", "03-31 00:00",
    ]  # fmt: skip


def test_slots_lie_after_the_last_and_not_after_now():
    assert cron("0 3 * * *", after="2026-06-01T03:00", until="2026-06-03T03:00", zone="UTC") == [
        "06-02 03:00", "06-03 03:00",
    ]  # fmt: skip


def test_slots_of_a_period_come_newest_first_on_the_epochs_grid():
    slots = calendars.slots_every(
        dt.timedelta(minutes=15), after=utc("2026-06-01T10:00"), until=utc("2026-06-01T10:47")
    )

    assert [f"{slot:%H:%M}" for slot in slots] == ["10:45", "10:30", "10:15"]


def test_next_slot_is_later_than_the_instant_itself():
    at = utc("2026-06-01T10:15")

    assert calendars.next_slot(every=dt.timedelta(minutes=15), cron="", zone="UTC", after=at) == utc(
        "2026-06-01T10:30"
    )
    tomorrow = utc("2026-06-02T10:15")
    assert calendars.next_slot(every=None, cron="15 10 * * *", zone="UTC", after=at) == tomorrow


def test_a_changed_zone_makes_no_flood():
    """The last slot was planned in one zone, the next are read in another: one day, at most two runs."""
    last = "2026-06-01T00:30"  # 02:30 in Paris
    slots = cron("30 2 * * *", after=last, until="2026-06-02T07:00", zone="America/New_York")

    assert slots == ["06-01 06:30", "06-02 06:30"]
