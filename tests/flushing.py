"""Empties the database after a test that commits: by DELETE, and only tables that may hold a row.

Django's flush truncates every table, which makes new files for each of them and its indexes, and then makes
all content types and permissions anew. That is a quarter of a second for every such test.
"""

from django.db import connection, transaction
from django.test import TransactionTestCase

# Made by migrating, read by everybody, changed by nearly nobody: kept for as long as they are what they were.
MADE_BY_MIGRATING = ("django_content_type", "auth_permission")
# Bytes. Where more was written DELETE would be the slower way and leave a table full of holes behind.
LARGEST = 512 * 1024
# One of no size is empty.
SIZES = """
SELECT relname, pg_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
"""
MADE = "SELECT md5(string_agg(made::text, ',' ORDER BY id)) FROM {table} made"
IS_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"

usual_flush = TransactionTestCase._fixture_teardown
_known: list[str] = []  # what migrating has made, when it was last made


def use() -> None:
    TransactionTestCase._fixture_teardown = flush


def flush(case: TransactionTestCase | None = None) -> None:
    """What Django's flush comes to: every table of a model empty, but for what migrating makes."""
    sizes = _sizes()
    if _known == _made() and max(sizes.values()) <= LARGEST and _is_superuser():
        _delete([table for table, size in sizes.items() if size and table not in MADE_BY_MIGRATING])
    else:
        usual_flush(case or TransactionTestCase())
        _known[:] = _made()


def _sizes() -> dict[str, int]:
    ours = set(connection.introspection.django_table_names(include_views=False))
    return {table: size for table, size in _ask(SIZES) if table in ours}


def _made() -> list[str]:
    return [_ask(MADE.format(table=table))[0][0] for table in MADE_BY_MIGRATING]


def _is_superuser() -> bool:
    return _ask(IS_SUPERUSER) == [(True,)]


def _ask(question: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchall()


def _delete(tables: list[str]) -> None:
    """As a replica does, without triggers and foreign keys: some tables refuse, and order would matter."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in tables:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
