"""Pages of refused rows under filters: the same rows as a look through all of them, in either direction."""

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion import error_pages, row_errors
from ingestion.checking import faults
from ingestion.models import RowError
from tests.factories import UploadFactory

RULES = ("type_number", "enum", "pattern")


@pytest.fixture
def refused(db, monkeypatch):
    """240 refused rows: one rule in nearly all, one in few, one in a single row; a word in three rows."""
    monkeypatch.setattr(faults, "BLOCK_ROWS", 20)
    monkeypatch.setattr(error_pages, "BLOCK_ROWS", 20)
    upload = UploadFactory(run="0" * 32)
    rows = [RowError(upload=upload, run=upload.run, row=row, **_row(row)) for row in range(2, 242)]
    RowError.objects.bulk_create(rows)
    tally = faults.Tally()
    for row in rows:
        tally.add_text(faults.again(row.faults[0]), row.row)
    row_errors.count(tally, upload=upload.pk, run=upload.run)
    return upload


def _row(row):
    code = "pattern" if row == 177 else "enum" if row % 61 == 5 else "type_number"
    error = {
        "code": code,
        "column": "AB"[row % 2],
        "header": "h",
        "value": "v",
        "detail": {"example": "1", "allowed": "a, b", "pattern": "x"},
    }
    word = "100% süß_x" if row in (3, 120, 240) else "plain"
    return {"faults": [error], "cells": [str(row), word]}


def naive(upload, *, code="", column="", text=""):
    return [
        row.row
        for row in RowError.objects.filter(upload=upload).order_by("row")
        if any(code in ("", error["code"]) and column in ("", error["column"]) for error in row.errors)
        and any(text.lower() in cell.lower() for cell in row.cells)
    ]


def walk(upload, **filters):
    """Every page forward to the end, then every page back to the start."""
    forward, cursor, page = [], None, None
    while page is None or cursor:
        page = error_pages.error_page(upload, cursor=cursor, **filters)
        forward += [row.row for row in page.items]
        cursor = page.next_cursor
    last = [row.row for row in page.items]
    back, cursor = [], page.previous_cursor
    while cursor:
        page = error_pages.error_page(upload, cursor=cursor, **filters)
        back = [row.row for row in page.items] + back
        cursor = page.previous_cursor
    return forward, back + last


@pytest.mark.parametrize("text", ["", "süß", "SÜß", "100%", "ß_x", "0%0", "plain"])
def test_pages_hold_the_rows_that_fit_forward_and_back(refused, monkeypatch, text):
    monkeypatch.setattr(error_pages, "BLOCKS_LOOKED_THROUGH", 2)
    for code, column in product(["", *RULES, "none_such"], ["", "A", "C"]):
        filters = {"code": code, "column": column, "text": text}
        wanted = naive(refused, **filters)

        assert walk(refused, limit=30, **filters) == (wanted, wanted), filters


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=st.sampled_from(["", *RULES]), limit=st.integers(1, 100), blocks=st.integers(1, 6))
def test_any_size_of_page_gives_the_same_rows(refused, code, limit, blocks):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_pages, "BLOCKS_LOOKED_THROUGH", blocks)
        found = walk(refused, limit=max(limit, 10), code=code, text="1")

    assert found == (naive(refused, code=code, text="1"),) * 2


def test_page_says_how_far_it_looked_when_it_stopped_early(refused, monkeypatch):
    monkeypatch.setattr(error_pages, "BLOCKS_LOOKED_THROUGH", 2)

    page = error_pages.error_page(refused, cursor=None, text="nowhere")

    assert (page.items, page.looked_to, page.next_cursor is not None) == ([], 39, True)


def test_page_of_a_rare_rule_is_found_at_once(refused):
    page = error_pages.error_page(refused, cursor=None, code="pattern")

    assert ([row.row for row in page.items], page.next_cursor, page.looked_to) == ([177], None, None)
