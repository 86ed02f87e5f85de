"""Plain work seen from outside: inserted and read by SQL, since its app is installed in the clusters only."""

import uuid

from django.db import connection

from work.identifiers import uuid7

UNFINISHED = "SELECT count(*) FROM plainwork_plainwork WHERE finished_at IS NULL"


def rows(sql, parameters=()):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


def add(organisation, *, seconds=0.0, deadly=False) -> uuid.UUID:
    pk = uuid7()
    rows(
        "INSERT INTO plainwork_plainwork (id, organisation_id, state, seconds, deadly) "
        "VALUES (%s, %s, 'waiting', %s, %s)",
        [pk, organisation.pk, seconds, deadly],
    )
    return pk


def unfinished() -> int:
    return rows(UNFINISHED)[0][0]


def state(pk) -> str:
    return rows("SELECT state FROM plainwork_plainwork WHERE id = %s", [pk])[0][0]


def row(pk) -> dict:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM plainwork_plainwork WHERE id = %s", [pk])
        return dict(zip([column.name for column in cursor.description], cursor.fetchone(), strict=True))


def effects() -> dict[uuid.UUID, int]:
    return dict(rows("SELECT work_id, count(*) FROM plainwork_plaineffect GROUP BY 1"))
