"""Which character separates the columns: the sep= line, else the one under which a row names the most fields,
else the one that gives the rows the same width."""

import csv
import io
import re
from collections import Counter
from itertools import groupby, islice

from .looking import LOOK_ROWS, SURE_MATCHES, Names
from .loosely import comparable

CANDIDATES = (",", ";", "\t", "|")
# Any of these may be meant, but must then separate every row alike. Spaces never do: texts are full of them.
RARE_CANDIDATES = "^~¦§#:!*&%$\\\x01\x1e\x1f·"
SAMPLE_ROWS = 200
# Stands in no text that a person wrote, so that each line is one cell.
NONE = "\x1f"
SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.I)
LINE_END = re.compile(r"\r\n?|\n")

Score = tuple[float, int]
NO_SCORE: Score = (0.0, 0)


def from_sep_line(sample: str) -> str | None:
    match = SEP_LINE.fullmatch(LINE_END.split(sample, maxsplit=1)[0])
    return match[1] if match else None


def choose(sample: str, names: Names | None = None) -> tuple[str, str]:
    """The delimiter and the reason for it."""
    named = {delimiter: _named(sample, delimiter, names or {}) for delimiter in CANDIDATES}
    best = max(CANDIDATES, key=lambda delimiter: named[delimiter])
    if named[best] >= SURE_MATCHES and list(named.values()).count(named[best]) == 1:
        return best, "headings"
    scores = {delimiter: _score(sample, delimiter) for delimiter in CANDIDATES if delimiter in sample}
    if max(scores.values(), default=NO_SCORE) <= NO_SCORE:
        scores = {
            delimiter: _score(sample, delimiter) for delimiter in RARE_CANDIDATES if delimiter in sample
        }
        scores = {delimiter: score for delimiter, score in scores.items() if score[0] == 1.0}
    if max(scores.values(), default=NO_SCORE) <= NO_SCORE:
        return NONE, "single_column"
    return max(scores, key=lambda delimiter: scores[delimiter]), "consistent_columns"


def _named(sample: str, delimiter: str, names: Names) -> int:
    """How many fields the row names that names the most of them."""
    if not names:
        return 0
    lines = islice(sample.splitlines(), LOOK_ROWS)
    rows = [line.strip().replace('"', "").split(delimiter) for line in lines]
    return max(
        (len({names[name] for cell in row if (name := comparable(cell)) in names}) for row in rows), default=0
    )


def _score(sample: str, delimiter: str) -> Score:
    """Share of the rows that have the commonest width, and that width; no score for a single column.
    Rows with titles and notes may be the most, but the table between them is of one piece."""
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(filter(None, rows), SAMPLE_ROWS)]
    except csv.Error:
        return NO_SCORE
    wide = Counter(width for width in widths if width > 1)
    if not wide:
        return NO_SCORE
    width, alike = wide.most_common(1)[0]
    longest = max(len(list(run)) for found, run in groupby(widths) if found == width)
    if 2 * alike < len(widths) and (alike == 1 or 2 * longest < alike):
        return NO_SCORE
    return alike / len(widths), width
