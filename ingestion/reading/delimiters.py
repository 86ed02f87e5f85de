"""Which character separates the columns: the sep= line, else the one that gives the rows the same width."""

import csv
import re
from collections import Counter

CANDIDATES = (",", ";", "\t", "|")
SAMPLE_ROWS = 200
SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.I)


def from_sep_line(line: str) -> str | None:
    match = SEP_LINE.fullmatch(line)
    return match[1] if match else None


def choose(sample: str) -> tuple[str, str]:
    """The delimiter and the reason for it."""
    scores = {delimiter: _score(sample, delimiter) for delimiter in CANDIDATES}
    best = max(CANDIDATES, key=lambda delimiter: scores[delimiter])
    if scores[best] == (0.0, 0):
        return ",", "single_column"
    return best, "consistent_columns"


def _score(sample: str, delimiter: str) -> tuple[float, int]:
    """Share of the rows that have the commonest width, and that width; no score for a single column."""
    widths: Counter[int] = Counter()
    try:
        for row in csv.reader(sample.splitlines(keepends=True), delimiter=delimiter):
            if row:
                widths[len(row)] += 1
            if widths.total() >= SAMPLE_ROWS:
                break
    except csv.Error:
        return (0.0, 0)
    if not widths:
        return (0.0, 0)
    width, rows = widths.most_common(1)[0]
    return (rows / widths.total(), width) if width > 1 else (0.0, 0)
