"""COPY into PostgreSQL, as text put together by the caller; and what its errors mean for the work."""

import contextlib
from collections.abc import Iterator

import psycopg
from django.db import connection

from ingestion.failures import DATABASE_UNAVAILABLE, VALUES_NOT_STORABLE
from work.failures import PermanentFailure, TemporaryFailure


def copy_lines(statement: str, lines: list[str]) -> None:
    """Copy lines of tab-separated JSON, numbers and plain words. Only what `statement` says is NULL.

    JSON has no raw tab or line end, so only the backslash must be doubled, once for all lines together.
    """
    if not lines:
        return
    text = "\n".join(lines).replace("\\", "\\\\") + "\n"
    with translated(), connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(text.encode())


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """COPY raises psycopg's own errors, not Django's; and a lone surrogate fails before it is sent."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise PermanentFailure(VALUES_NOT_STORABLE, sqlstate="") from error
    except psycopg.OperationalError as error:
        raise TemporaryFailure(DATABASE_UNAVAILABLE, sqlstate=error.sqlstate or "") from error
    except psycopg.DataError as error:
        raise PermanentFailure(VALUES_NOT_STORABLE, sqlstate=error.sqlstate or "") from error
