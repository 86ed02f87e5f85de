"""Records as files: the same values in every format, all of one snapshot."""

import csv
import hashlib
import io
import json
import threading
import xml.etree.ElementTree as ElementTree

import pytest
from django.db import connection

from ingestion import exports, exports_sql
from ingestion.models import Dataset, Record
from tests.publishing.conftest import FIELDS

pytestmark = pytest.mark.django_db(transaction=True)

NASTY = 'Ä <b>"quoted"</b> & co, \\n; \u202eright-to-left 🏔 ]]> \ufffe'
ROWS = (
    {"id": "a", "name": NASTY, "height (m)": 1234.5, "open": True, "2020": 12345678901234567890},
    {"id": "b", "name": "two\r\nlines\tand a tab", "height (m)": None, "open": False, "2020": -1},
    {"id": "c", "name": "\\.", "height (m)": 0.1, "open": None, "2020": None},
)


def nothing(done, total, unit):
    pass


def read(dataset, folder, watch=nothing):
    made = exports.export(dataset.pk, folder=folder, watch=watch)
    return {each.format: each.path.read_bytes() for each in made.files}, made


def as_rows(files):
    """Each format as its own reader has it: (JSON Lines, JSON, CSV, XML)."""
    lines = [json.loads(line) for line in files["jsonl"].splitlines()]
    table = list(csv.DictReader(io.StringIO(files["csv"].decode(), newline="")))
    elements = [{part.tag: part.text for part in each} for each in ElementTree.fromstring(files["xml"])]  # noqa: S314 (our own)
    return lines, json.loads(files["json"]), table, elements


def test_every_format_has_the_same_values(peaks, store, tmp_path):
    store(*ROWS)
    store({"id": "z", "name": "gone", "height (m)": 1, "open": True, "2020": 1}, retired=True)
    files, made = read(peaks, tmp_path)
    lines, array, table, elements = as_rows(files)
    assert lines == array == list(ROWS)
    assert [row["name"] for row in table] == [row["name"] for row in ROWS]
    assert [row["open"] for row in table] == ["true", "false", ""]
    assert [row["height (m)"] for row in table] == ["1234.5", "", "0.1"]
    assert [row["2020"] for row in table] == ["12345678901234567890", "-1", ""]
    assert [each["id"] for each in elements] == ["a", "b", "c"]
    assert elements[0]["name"] == NASTY.replace("\ufffe", "\ufffd")
    assert elements[1] == {
        "id": "b", "name": "two\r\nlines\tand a tab", "open": "false", "_2020": "-1",
    }  # fmt: skip
    assert {each.records for each in made.files} == {3}
    assert made.version == 7
    for each in made.files:
        assert (each.size, each.sha256) == (len(files[each.format]), sha256(files[each.format]))


def test_no_records_make_whole_files(peaks, tmp_path):
    files, made = read(peaks, tmp_path)
    assert as_rows(files) == ([], [], [], [])
    assert files["csv"] == b"id,name,height (m),open,2020\n"
    assert {each.records for each in made.files} == {0}


def test_only_the_fields_of_the_current_schema_are_told(peaks, store, change_schema, tmp_path):
    store(*ROWS)
    change_schema(peaks, [FIELDS[0], {"name": "ascent", "type": "date"}, FIELDS[4]])
    files, _ = read(peaks, tmp_path)
    lines, array, table, elements = as_rows(files)
    assert lines == array == [{"id": row["id"], "2020": row["2020"], "ascent": None} for row in ROWS]
    assert list(table[0]) == ["id", "ascent", "2020"]
    assert set(elements[0]) == {"id", "_2020"}


def test_all_files_show_one_snapshot_while_records_change(peaks, store, tmp_path):
    """Records are changed and added between the first file and the second."""
    store(*ROWS)
    told = []

    def change(done, total, unit):
        if not told:
            thread = threading.Thread(target=changed)
            thread.start()
            thread.join()
        told.append((done, total, unit))

    def changed():
        Record.objects.filter(dataset=peaks).update(data={"id": "?"})
        Dataset.objects.filter(pk=peaks.pk).update(version=8)
        connection.close()

    files, made = read(peaks, tmp_path, change)
    lines, array, table, elements = as_rows(files)
    assert Record.objects.get(dataset=peaks, key="a").data == {"id": "?"}
    assert [row["id"] for row in lines] == [row["id"] for row in table] == ["a", "b", "c"]
    assert [row["id"] for row in array] == [row["id"] for row in elements] == ["a", "b", "c"]
    assert made.version == 7
    assert told[-1][1:] == (9, "lines")


def test_element_names_are_valid_and_never_twice():
    fields = [{"name": name} for name in ("a b", "a_b", "a/b", "1", "xml", "größe", "-x")]
    assert exports_sql.element_names(fields) == [
        "a_b", "a_b.2", "a_b.3", "_1", "_xml", "größe", "_-x",
    ]  # fmt: skip


def sha256(content):
    return hashlib.sha256(content).hexdigest()
