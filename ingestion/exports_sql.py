"""The statements by which PostgreSQL itself writes records as lines of CSV, JSON and XML.

A line of JSON or XML is the one column of a CSV whose quote and delimiter never occur in it: no raw control
character does, since those were refused, JSON escapes line ends and we escape them for XML.
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

RECORDS = sql.SQL(
    "FROM ingestion_record WHERE dataset_id = {dataset} AND retired_at IS NULL ORDER BY dataset_id, key"
)
AS_CSV = sql.SQL("COPY (SELECT {columns} {records}) TO STDOUT (FORMAT csv, HEADER, ENCODING 'UTF8')")
AS_LINES = sql.SQL(
    "COPY (SELECT {line} {records}) TO STDOUT "
    "(FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02', ENCODING 'UTF8')"
)
WITHOUT_MARKUP = frozenset({"integer", "number", "boolean", "date", "time", "datetime", "year", "yearmonth"})
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
NO_CHARACTERS = "\ufffe\uffff"  # which XML has no way to write (XML 1.0, 2.2)
NOT_IN_NAMES = re.compile(r"[^\w.-]", re.UNICODE)
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Statements:
    csv: sql.Composed
    json: sql.Composed
    xml: sql.Composed


def statements(dataset: uuid.UUID, schemas: Sequence[Schema]) -> Statements:
    """Of all versions of a dataset's schema, the current one last."""
    records = RECORDS.format(dataset=sql.Literal(dataset))
    fields = schemas[-1]["fields"]
    columns = sql.SQL(", ").join(
        sql.SQL("{} AS {}").format(_text(each["name"]), sql.Identifier(each["name"])) for each in fields
    )
    return Statements(
        AS_CSV.format(columns=columns, records=records),
        AS_LINES.format(line=_json(schemas), records=records),
        AS_LINES.format(line=_xml(fields), records=records),
    )


def element_names(fields: Sequence[Schema]) -> list[str]:
    """Names of XML elements for fields, as like as can be: what a name may not have becomes `_`, and like
    ones are numbered (XML 1.0, 2.3).
    """
    names: list[str] = []
    for field in fields:
        name = NOT_IN_NAMES.sub("_", field["name"])
        if not (name[0].isalpha() or name[0] == "_") or name.lower().startswith("xml"):
            name = f"_{name}"
        again = sum(1 for taken in names if taken == name or taken.startswith(f"{name}."))
        names.append(f"{name}.{again + 1}" if again else name)
    return names


def _text(name: str) -> sql.Composed:
    return sql.SQL("data ->> {}").format(sql.Literal(name))


def _json(schemas: Sequence[Schema]) -> sql.Composed:
    """A record as it is stored. After a change of the schema: without the fields that went, and with those
    that came, which records from before do not have.
    """
    names = [field["name"] for field in schemas[-1]["fields"]]
    gone = sorted({field["name"] for schema in schemas for field in schema["fields"]} - set(names))
    if len(schemas) == 1:
        return sql.SQL("data::text").format()
    empty = sql.SQL(", ").join(sql.SQL("{}, null").format(sql.Literal(name)) for name in names)
    return sql.SQL("((jsonb_build_object({}) || data) - {}::text[])::text").format(empty, sql.Literal(gone))


def _xml(fields: Sequence[Schema]) -> sql.Composed:
    """An element per field that has a value."""
    parts = [
        sql.SQL("{} || {} || {}").format(
            sql.Literal(f"<{element}>"), _escaped(field), sql.Literal(f"</{element}>")
        )
        for field, element in zip(fields, element_names(fields), strict=True)
    ]
    return sql.SQL("concat('<record>', {}, '</record>')").format(sql.SQL(", ").join(parts))


def _escaped(field: Schema) -> sql.Composed:
    text: sql.Composed = sql.SQL("({})").format(_text(field["name"]))
    if field.get("type", "string") in WITHOUT_MARKUP:
        return text
    text = sql.SQL("translate({}, {}, {})").format(
        text, sql.Literal(NO_CHARACTERS), sql.Literal("\ufffd" * 2)
    )
    for character, escape in ESCAPES.items():
        text = sql.SQL("replace({}, {}, {})").format(text, sql.Literal(character), sql.Literal(escape))
    return text
