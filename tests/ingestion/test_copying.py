"""COPY and what its errors mean."""

import psycopg
import pytest
from django.db import connection

from ingestion.copying import copy_lines, translated
from work.failures import PermanentFailure, TemporaryFailure

COPY = "COPY words (number, word) FROM STDIN (NULL '')"


@pytest.fixture
def words(db):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE words (number integer, word text) ON COMMIT DROP")
        yield lambda: [row[0] for row in cursor.execute("SELECT word FROM words ORDER BY number")]


@pytest.mark.django_db
def test_backslashes_and_absence_come_through(words):
    copy_lines(COPY, ['1\t{"a":"\\t\\n\\\\"}', "2\t", "3\t\\N"])

    assert words() == ['{"a":"\\t\\n\\\\"}', None, "\\N"]


@pytest.mark.django_db
def test_nothing_is_copied_as_nothing(words):
    copy_lines(COPY, [])

    assert words() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("line", ["x\tword", "1\t\ud800", "1\ta\x00b"])
def test_value_that_the_database_refuses_fails_the_work_for_good(line):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE IF NOT EXISTS words (number integer, word text)")

    with pytest.raises(PermanentFailure) as failure:
        copy_lines(COPY, [line])

    assert failure.value.code == "values_not_storable"


def test_lost_connection_is_tried_again():
    with pytest.raises(TemporaryFailure), translated():
        raise psycopg.OperationalError("gone")
