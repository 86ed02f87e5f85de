"""What is wrong with a schema, and where."""

from typing import NamedTuple


class SchemaProblem(NamedTuple):
    """`path` is where it is, as in fields[2].constraints.minimum."""

    path: str
    code: str
    message: str
