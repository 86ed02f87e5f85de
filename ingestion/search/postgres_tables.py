"""The tables of the PostgreSQL index: one for each generation of each dataset.

A table of its own gives each dataset statistics of its own, by which the planner knows whether a word is rare
in it; swapping is one row, removing is a DROP; and no query can meet another tenant's documents.
"""

from collections.abc import Sequence

from django.db import connection

from ingestion.search.protocol import Field, Kind

TYPES: dict[Kind, str] = {
    "text": 'text COLLATE "C"', "number": "numeric", "date": "date", "moment": "timestamptz",
    "boolean": "boolean",
}  # fmt: skip
# A table that is searched for letters is told apart by more samples than the default.
CREATE = """
CREATE TABLE IF NOT EXISTS {table} (
  id bigint PRIMARY KEY, version bigint NOT NULL, deleted boolean NOT NULL, words tsvector,
  letters text COLLATE "C"{columns}
);
ALTER TABLE {table} ALTER letters SET STATISTICS 500, ALTER words SET STATISTICS 500
"""
INDEXES = (
    "CREATE INDEX IF NOT EXISTS {table}_words ON {table} USING gin (words)",
    "CREATE INDEX IF NOT EXISTS {table}_letters ON {table} USING gin (letters gin_trgm_ops)",
)
SORTED = "CREATE INDEX IF NOT EXISTS {table}_{column} ON {table} ({column}, id) WHERE NOT deleted"


def name(generation: int | str) -> str:
    return f"search_{int(generation)}"


def column(number: int) -> str:
    return f"f{number}"


def create(generation: int, fields: Sequence[Field]) -> None:
    columns = "".join(f", {column(number)} {TYPES[field.kind]}" for number, field in enumerate(fields))
    _run(CREATE.format(table=name(generation), columns=columns))


def make_indexes(generation: int, fields: Sequence[Field]) -> None:
    """After a table was filled, which is several times faster than while it is. Again changes nothing."""
    table = name(generation)
    for statement in INDEXES:
        _run(statement.format(table=table))
    for number, _ in enumerate(fields):
        _run(SORTED.format(table=table, column=column(number)))


def analyse(generation: int) -> None:
    """Words that came since stand in a list that every search would read: they are sorted in."""
    table = name(generation)
    _run(f"ANALYZE {table}")
    for index in ("words", "letters"):
        _run(f"SELECT gin_clean_pending_list('{table}_{index}'::regclass)")


def drop(generation: int) -> None:
    _run(f"DROP TABLE IF EXISTS {name(generation)}")


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
