"""What a benchmark says: one measure beside its baseline of the same run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """`bar` says what is wanted; `holds` whether it came to that."""

    what: str
    measured: str
    baseline: str = ""
    bar: str = ""
    holds: bool = True
