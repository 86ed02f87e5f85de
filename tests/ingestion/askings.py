"""Questions as steps ask them, and uploads that ask one, by the way a worker takes."""

from django.db import transaction

from ingestion import asks
from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from ingestion.states import UploadState
from work import leases
from work.failures import Asks

ROWS = [
    {"number": 1, "cells": ["Stations of 2026", "", ""]},
    {"number": 3, "cells": ["Ident", "Betrag €", "Remark"]},
    {"number": 4, "cells": ["a", "1", "new"]},
    {"number": 5, "cells": ["b", "2", ""]},
]
OTHER_ROWS = [{"number": 1, "cells": ["id", "amount"]}, {"number": 2, "cells": ["z", "9"]}]
SHEETS = [
    {"name": "Data", "hidden": False, "rows": ROWS, "score": 1.0},
    {"name": "Old", "hidden": True, "rows": OTHER_ROWS, "score": 2.0},
]
SUGGESTIONS = [
    {"field": "id", "title": "", "required": True, "column": 0, "sure": False, "why": "similar"},
    {"field": "amount", "title": "", "required": False, "column": None, "sure": False, "why": ""},
]


def which_columns(**more):
    return {
        "code": "which_columns",
        "detail": {},
        "sheets": SHEETS[:1],
        "sheet": "Data",
        "header_row": 3,
        "header_rows": 1,
        "headers": ["Ident", "Betrag €", "Remark"],
        "suggestions": SUGGESTIONS,
        **more,
    }


def which_sheet():
    return {"code": "which_sheet", "detail": {}, "sheets": SHEETS}


def which_header():
    return which_columns(code="which_header")


def confirm_retirement(**more):
    found = {"retire": 30, "records": 100, "share": 30.0, "limit": 20, "version": 7, "examples": ["a", "b"]}
    return {"code": "confirm_retirement", "detail": {}, "retirement": found | more}


EVERY = (which_sheet, which_header, which_columns, confirm_retirement)


def let_ask(upload, asking):
    """The upload, which must be the next one due, asks; its worker is free again."""
    lease = leases.claim_next(PIPELINE)
    assert lease.row.pk == upload.pk
    try:
        asks.ask(lease.row, asking)
    except Asks as asked:
        with transaction.atomic():
            PIPELINE.on_asking(lease.row, asked.question)
            leases.ask(lease, question=asked.question, state=UploadState.NEEDS_ANSWER, fields=asked.fields)
    return Upload.objects.get(pk=upload.pk)
