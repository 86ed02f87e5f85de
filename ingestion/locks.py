"""One writer of a dataset's records at a time."""

import uuid

from django.db import connection

HOLD_RECORDS = "SELECT pg_advisory_xact_lock(hashtextextended('ingestion.records ' || %s, 0))"


def hold_records(dataset_id: uuid.UUID) -> None:
    """Until the transaction ends, nobody else stores or mends records of this dataset.

    Not the row lock of the dataset: accepting takes that for its sequence, and would wait for whole merges.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLD_RECORDS, [str(dataset_id)])
