"""Rate limits shared by all processes: one row per caller, counted by one statement."""

from django.db import connection

from work.problems import Problem

# A fixed window of a minute by the database's clock. The row lock of the upsert makes counting exact.
TAKE = """
INSERT INTO work_ratewindow AS w (key, began_at, taken)
  VALUES (%(key)s, date_trunc('minute', clock_timestamp()), 1)
ON CONFLICT (key) DO UPDATE SET
  taken = CASE WHEN w.began_at = excluded.began_at THEN w.taken + 1 ELSE 1 END, began_at = excluded.began_at
RETURNING taken, 60 - floor(extract(second FROM clock_timestamp()))::int
"""


def take(key: str, *, per_minute: int) -> None:
    """Count one call. Raises Problem 429 with Retry-After when this minute's allowance is spent."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"key": key})
        taken, seconds = cursor.fetchone()
    if taken > per_minute:
        raise Problem(
            429,
            "too_many_requests",
            f"More than {per_minute} requests within a minute.",
            f"Wait {seconds} seconds, then go on.",
            headers={"Retry-After": str(seconds)},
        )
