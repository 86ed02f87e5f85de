"""One writer of a dataset's records at a time."""

import uuid
from collections.abc import Iterable

from django.db import connection

LOOK_AT_RECORDS = "SELECT pg_advisory_xact_lock_shared(hashtextextended('ingestion.records ' || %s, 0))"
HOLD_RECORDS = "SELECT pg_advisory_xact_lock(hashtextextended('ingestion.records ' || %s, 0))"


def hold_records(dataset_id: uuid.UUID) -> None:
    """Until the transaction ends, nobody else stores or mends records of this dataset.

    Not the row lock of the dataset: accepting takes that for its sequence, and would wait for whole merges.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLD_RECORDS, [str(dataset_id)])


def hold_and_look_at(dataset_id: uuid.UUID, others: Iterable[uuid.UUID]) -> None:
    """Hold the records of one dataset while those of others stay as they are: many may look at them.

    Always in the order of ids, so that two that look at each other's records never wait for each other.
    """
    with connection.cursor() as cursor:
        for each in sorted({dataset_id, *others}):
            cursor.execute(HOLD_RECORDS if each == dataset_id else LOOK_AT_RECORDS, [str(each)])
