"""Spans of time: any way of writing one gives the same canonical text."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.checking import durations
from ingestion.checking.durations import Duration, NotADuration

COUNTS = st.integers(0, 10_000)
SECONDS = st.decimals(0, 10_000, places=3)


@given(
    sign=st.sampled_from(["", "-"]), months=COUNTS, days=COUNTS, hours=COUNTS, minutes=COUNTS, seconds=SECONDS
)
def test_canonical_form_is_read_back_as_the_same_span(sign, months, days, hours, minutes, seconds):
    span = durations.parse(f"{sign}P{months}M{days}DT{hours}H{minutes}M{seconds}S")

    assert durations.parse(str(span)) == span
    assert abs(span.months) == months
    assert abs(span.seconds) == days * 86_400 + hours * 3600 + minutes * 60 + seconds


@given(hours=COUNTS, minutes=st.integers(0, 59), seconds=st.integers(0, 59))
def test_clock_and_iso_say_the_same(hours, minutes, seconds):
    clock = durations.parse(f"{hours}:{minutes:02}:{seconds:02}")

    assert clock == durations.parse(f"PT{hours}H{minutes}M{seconds}S")
    assert str(clock) == str(durations.of_days(clock.seconds / 86_400))


@given(one=st.builds(Duration, COUNTS, SECONDS), other=st.builds(Duration, COUNTS, SECONDS))
def test_every_two_spans_can_be_compared(one, other):
    assert (one < other) + (one > other) + (one.length == other.length) == 1


def test_month_counts_its_average_length():
    assert durations.parse("P1M") < durations.parse("P31D")
    assert durations.parse("P1M") > durations.parse("P30D")
    assert durations.parse("P4800M").seconds == 0
    assert durations.parse("P4800M").length == Decimal(146_097 * 86_400)


@pytest.mark.parametrize("text", ["", "P", "PT", "P1", "1", "P1H", "PT1D", "P-1D", "--P1D", "1:2:3", "P1.5D"])
def test_text_that_is_no_span(text):
    with pytest.raises(NotADuration):
        durations.parse(text)
