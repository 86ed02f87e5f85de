"""The runner of all tests must not lose a failure on the way to its last line."""

from collections import Counter

from tests.suite import Part, count_line, read_counts


def test_counts_come_from_pytests_report(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="10" failures="2" errors="1" skipped="3"/></testsuites>')

    assert read_counts(report) == Counter(passed=4, failed=2, error=1, skipped=3)


def test_run_that_died_before_its_report_is_an_error(tmp_path):
    (tmp_path / "report.xml").touch()

    assert read_counts(tmp_path / "report.xml") == Counter(error=1)


def test_last_line_sums_the_groups():
    parts = [
        Part("tests", [], counts=Counter(passed=5)),
        Part("crash", [], counts=Counter(passed=2, failed=1)),
    ]

    assert count_line(parts, seconds=61.5) == "1 failed, 7 passed in 61.50s"
