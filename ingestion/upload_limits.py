"""How much an organisation may have in progress and keep."""

from django.db import connection

from accounts.models import Organisation
from ingestion.models import Upload
from work.problems import Problem
from work.wording import size as size_in_words

BYTES_KEPT = """
SELECT coalesce(sum(size), 0)
FROM (SELECT DISTINCT sha256, size FROM ingestion_upload WHERE organisation_id = %s) kept
"""


def refuse(organisation: Organisation, size: int) -> None:
    """Looked at before the file is kept. Requests of one instant may pass together; the next will not."""
    in_progress = Upload.objects.unfinished().filter(organisation=organisation).count()
    if in_progress >= organisation.uploads_in_progress_limit:
        raise Problem(
            429,
            "too_many_in_progress",
            f"{organisation.title} has {in_progress} uploads in progress, which is its limit.",
            "Send it again when some of them have their verdict.",
            headers={"Retry-After": "60"},
        )
    with connection.cursor() as cursor:
        cursor.execute(BYTES_KEPT, [organisation.pk])
        (kept,) = cursor.fetchone()
    if kept + size > organisation.storage_limit_bytes:
        raise Problem(
            409,
            "storage_limit_reached",
            f"{organisation.title} keeps {size_in_words(int(kept))} of files and may keep "
            f"{size_in_words(organisation.storage_limit_bytes)}.",
            "Ask an operator for more room.",
        )
