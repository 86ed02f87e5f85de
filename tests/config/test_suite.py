"""The runner of all tests must not lose a failure on the way to its last line."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from django.conf import settings

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


@pytest.mark.parametrize(
    ("ci", "code", "said"), [("", 0, "1 skipped"), ("true", 1, "did not run, and CI is set: Skipped: no cat")]
)
def test_skipped_test_fails_where_nothing_may_be_missing(tmp_path, ci, code, said):
    (tmp_path / "test_cat.py").write_text("import pytest\ndef test_cat():\n    pytest.skip('no cat')\n")
    command = ["-m", "pytest", "-p", "tests.in_ci", "-p", "no:django", "-c", os.devnull, str(tmp_path)]

    done = subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code
    assert said in done.stdout
