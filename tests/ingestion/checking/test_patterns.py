import time

import pytest

from ingestion.checking.patterns import UnsafePattern, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("R[0-9]{8}", "R00000001", True),
        ("R[0-9]{8}", "R00000001x", False),
        ("[A-Z]+", "AB", True),
        ("(ab|cd)?x", "cdx", True),
        (r"\p{Lu}\p{Ll}+", "Älter", True),
        (r"[^@]+@[^@]+\.[a-z]+", "a@b.de", True),
        (r"(\d{2}-){3}\d", "12-34-56-7", True),
    ],
)
def test_pattern_is_matched_against_the_whole_text(pattern, text, fits):
    assert bool(compile_pattern(pattern)(text)) is fits


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)*x", "a*a*a*a*a*a*b", "(a?){30}a{30}", "((a+)?)+b", "(?:a+b?)+c"],
)
def test_pattern_that_would_explode_stays_quick(pattern):
    fits = compile_pattern(pattern)
    started = time.process_time()

    fits("a" * 5_000)

    assert time.process_time() - started < 1


@pytest.mark.parametrize("pattern", ["(", "[a", "*", r"(a)\1", "(?<=a)b", "a{2000}", "x" * 501])
def test_pattern_that_cannot_be_kept_safe_is_refused(pattern):
    with pytest.raises(UnsafePattern):
        compile_pattern(pattern)
