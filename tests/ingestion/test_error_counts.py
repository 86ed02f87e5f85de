"""Counts per rule and column are kept while rows are checked: they must be what the row report says."""

from collections import defaultdict

import pytest

from ingestion.checking.faults import BLOCK_ROWS
from ingestion.models import ErrorCount, RowError
from tests.factories import DatasetFactory

SCHEMA = {
    "fields": [
        {"name": "id", "type": "string", "constraints": {"pattern": "[a-z0-9]+"}},
        {"name": "amount", "type": "integer", "constraints": {"maximum": 400}},
        {"name": "tag", "type": "string", "constraints": {"unique": True, "maxLength": 5}},
    ],
    "primaryKey": ["id"],
}


@pytest.mark.django_db(transaction=True)
def test_counts_are_those_of_the_row_report(process):
    rows = [f"k{number},{number},t{number}" for number in range(600)]
    rows[3] = "K3,many,too long"  # three faults in one row
    rows[10] = rows[11] = "k10,1,t10"  # the same row twice
    rows[20] = "k21,1,t20"  # shares its key with the next
    rows[300] = "k300,1,t299"  # and its tag with the one before
    rows[310] = "k310,1,t310,extra"
    rows[320] = ","
    rows[330] = "K330,401,t330"
    into = DatasetFactory(schema=SCHEMA)
    upload = process("\n".join(["id,amount,tag", *rows]).encode(), into=into)
    found = defaultdict(list)
    for row in RowError.objects.filter(upload=upload, run=upload.run).order_by("row"):
        for error in row.errors:
            found[error["code"], error["column"]].append((row.row, error))
    assert {code for code, _ in found} >= {
        "pattern", "type_integer", "maximum", "max_length", "primary_key_duplicate", "unique", "extra_cells",
    }  # fmt: skip
    assert upload.error_count == sum(map(len, found.values()))
    counts = {(each.code, each.column): each for each in ErrorCount.objects.filter(upload=upload)}
    assert counts.keys() == found.keys()
    for place, errors in found.items():
        count, (first, example) = counts[place], errors[0]
        assert count.rows == len({row for row, _ in errors})
        assert count.found_in == sorted({row // BLOCK_ROWS for row, _ in errors})
        assert (count.header, count.example) == (example["header"], example["value"])
        assert (count.message, count.remedy) == (example["message"], example["remedy"])
        assert example["cell"] == (f"{place[1]}{first}" if place[1] else "")
