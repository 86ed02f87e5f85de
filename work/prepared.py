"""Statements of the hot path: planned once per connection, their values bound by the server.

They run on Django's own connection and in its transactions, past its cursors, which bind on the client's side
and so have every statement planned anew; planning a claim takes longer than running it.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model
from django.db.models.base import ModelState

PLANNED_AFTER = 2  # executions


def fetch(statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The first row, or None. Outside of a transaction the statement is one of its own."""
    wrapper = connections[DEFAULT_DB_ALIAS]
    wrapper.close_if_health_check_failed()
    wrapper.ensure_connection()
    session = wrapper.connection
    if session.prepare_threshold is None:
        session.prepare_threshold = PLANNED_AFTER
    with wrapper.wrap_database_errors, psycopg.Cursor(session) as cursor:
        row: tuple[Any, ...] | None = cursor.execute(statement, values).fetchone()
    return row


def instance(model: type[Model], row: tuple[Any, ...]) -> Any:
    """A row of all columns in the model's order as an instance of it: what `from_db` makes, without calls of
    `__init__` and its signals, which cost as much as the rest of a claim."""
    values = list(row)
    for place, convert in _converters(model):
        values[place] = convert(values[place])
    made = model.__new__(model)
    made._state = ModelState()
    made._state.adding, made._state.db = False, DEFAULT_DB_ALIAS
    made.__dict__.update(zip(_names(model), values, strict=True))
    return made


@lru_cache
def columns(model: type[Model], alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


@lru_cache
def _names(model: type[Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


@lru_cache
def _converters(model: type[Model]) -> list[tuple[int, Any]]:
    """What Django does to a value between the driver and the attribute, for the few kinds that need it."""
    expressions = [field.get_col(model._meta.db_table) for field in model._meta.concrete_fields]
    return [
        (place, partial(_convert, convert, expression))
        for place, expression in enumerate(expressions)
        for convert in (
            *connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)
        )
    ]  # fmt: skip


def _convert(convert: Any, expression: Any, value: Any) -> Any:
    return convert(value, expression, connection)
