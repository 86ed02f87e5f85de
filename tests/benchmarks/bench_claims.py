"""How much of the bare statement's speed the claim and the fenced finish keep, and whether turns are fair.

Four processes claim and finish over a table with 100,000 waiting rows of 50 organisations, most of one.
"""

import dataclasses
import multiprocessing
import time
from collections.abc import Callable
from uuid import uuid4

import psycopg
from django.db import connection, transaction

from accounts.models import Organisation
from ingestion.models import Dataset, Upload
from ingestion.states import TERMINAL, UPLOAD_MOVES, UploadState
from tests.benchmarks.lines import Line
from work import leases, prepared
from work.pipelines import Ending, Limits, Pipeline

ORGANISATIONS = 50
WAITING = 100_000
OF_THE_BIG_ONE = 60_000
PROCESSES = 4
SECONDS = 4.0
ROUNDS = 3
LOOKED_AT = 200
WANTED_RATIO = 0.6

PIPELINE = Pipeline(
    name="upload", title="Uploads", model=Upload, steps=(), initial=UploadState.ACCEPTED,
    running=UploadState.PROCESSING, terminal=TERMINAL, moves=UPLOAD_MOVES, limits=Limits(running=None),
    on_failure=lambda row, code, detail: Ending(UploadState.FAILED),
)  # fmt: skip
CAPPED = dataclasses.replace(PIPELINE, limits=Limits(running=PROCESSES + 1))

# The same claim, of the same columns, and the same fence without what the product adds: no attempt, no pause,
# no Django.
BARE_CLAIM = (
    f"WITH RECURSIVE {leases.FAIR_PICK.format(table=Upload._meta.db_table, open='true')}"
    " UPDATE ingestion_upload t SET lease_token = gen_random_uuid(),"
    " locked_until = clock_timestamp() + interval '60 s', locked_by = %(worker)s,"
    " heartbeat_at = clock_timestamp(), started_at = clock_timestamp(), due_at = NULL, starts = t.starts + 1,"
    " unanswered = t.unanswered + 1, state = 'processing' FROM pick WHERE t.id = pick.id"
    f" RETURNING t.id, t.lease_token, {prepared.columns(Upload, 't')}"
)
BARE_FINISH = (
    "UPDATE ingestion_upload SET lease_token = NULL, locked_until = NULL, locked_by = NULL, state = 'failed',"
    " unanswered = unanswered - 1, finished_at = clock_timestamp()"
    " WHERE id = %(id)s AND lease_token = %(token)s AND state = 'processing'"
)
FILL = """
INSERT INTO ingestion_upload (id, organisation_id, dataset_id, sequence, precedence, state, filename,
  storage_key, sha256, size, kind, uploaded_by_label, due_at, assumptions, timings, parser_version,
  cancelled_by_label, cancel_reason)
SELECT gen_random_uuid(), %(organisation)s, %(dataset)s, n, n, 'accepted', 'x.csv', 'x/' || n, '', 1, 'csv',
  'bench', clock_timestamp() - interval '1 hour' + n * interval '1 ms', '[]', '{}', '', '', ''
FROM generate_series(1, %(count)s) n
"""
AGAIN = """
UPDATE ingestion_upload SET state = 'accepted', due_at = started_at, finished_at = NULL, lease_token = NULL,
  locked_until = NULL, locked_by = NULL, unanswered = 0, started_at = NULL WHERE due_at IS NULL
"""


def run() -> list[Line]:
    found = measure()
    bare_rate = f"{found['bare']:,.0f} a second"
    return [
        Line(
            "claim + fenced finish, 4 processes, 100,000 waiting",
            f"{found['ours']:,.0f} a second",
            bare_rate,
            f"ratio ≥ {WANTED_RATIO}: {found['ratio']:.2f}",
            found["ratio"] >= WANTED_RATIO,
        ),
        Line(
            "the same with a cap on what runs at once",
            f"{found['ours with a cap']:,.0f} a second",
            bare_rate,
            f"ratio: {found['ratio with a cap']:.2f}",
        ),
        Line(
            f"share of the biggest of {ORGANISATIONS} organisations in the first {LOOKED_AT} claims",
            f"{found['share of the big one']:.1%}",
            f"{OF_THE_BIG_ONE / WAITING:.0%} of what waits",
            f"at most {2 / ORGANISATIONS:.0%}",
            found["share of the big one"] <= 2 / ORGANISATIONS,
        ),
    ]


def measure() -> dict[str, float]:
    """Operations a second of the bare statement and of ours, in turns, and the big organisation's share."""
    big = fill()
    rates: dict[str, list[float]] = {"bare": [], "ours": [], "ours with a cap": []}
    for _ in range(ROUNDS):
        for name, work in (("bare", bare), ("ours", ours), ("ours with a cap", ours_capped)):
            refill()
            rates[name].append(rate(work))
    refill()
    best = {name: max(found) for name, found in rates.items()}
    return {
        **best,
        "ratio": best["ours"] / best["bare"],
        "ratio with a cap": best["ours with a cap"] / best["bare"],
        "share of the big one": share_of(big),
    }


def fill() -> Organisation:
    each = (WAITING - OF_THE_BIG_ONE) // (ORGANISATIONS - 1)
    organisations = [
        Organisation.objects.create(slug=f"bench-{number}", title=f"Bench {number}")
        for number in range(ORGANISATIONS)
    ]
    with connection.cursor() as cursor:
        for number, organisation in enumerate(organisations):
            dataset = Dataset.objects.create(organisation=organisation, slug="bench", title="Bench")
            count = OF_THE_BIG_ONE if number == 0 else each
            cursor.execute(FILL, {"organisation": organisation.pk, "dataset": dataset.pk, "count": count})
    return organisations[0]


def refill() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE work_attempt")
        cursor.execute(AGAIN)
        cursor.execute("VACUUM ANALYZE ingestion_upload")
        cursor.execute("VACUUM ANALYZE work_attempt")
        cursor.execute("CHECKPOINT")


def rate(work: Callable[[float], int]) -> float:
    """Operations a second of all processes together."""
    connection.close()
    context = multiprocessing.get_context("fork")
    barrier, done = context.Barrier(PROCESSES), context.Queue()

    def run() -> None:
        work(0.3)  # connections, plans
        barrier.wait()
        done.put(work(SECONDS))

    children = [context.Process(target=run) for _ in range(PROCESSES)]
    for child in children:
        child.start()
    total = sum(done.get() for _ in children)
    for child in children:
        child.join()
    return total / SECONDS


def bare(seconds: float) -> int:
    ends, count = time.monotonic() + seconds, 0
    connection.ensure_connection()
    wanted = {
        name: value
        for name, value in connection.get_connection_params().items()
        if name not in ("cursor_factory", "context", "prepare_threshold")
    }
    with psycopg.connect(**wanted, autocommit=True) as session:
        worker = uuid4()
        while time.monotonic() < ends:
            pk, token, *_ = session.execute(BARE_CLAIM, {"worker": worker}).fetchone()
            session.execute(BARE_FINISH, {"id": pk, "token": token})
            count += 1
    return count


def ours(seconds: float, pipeline: Pipeline = PIPELINE) -> int:
    ends, count = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        lease = leases.claim_next(pipeline)
        with transaction.atomic():
            leases.finish(lease, state=UploadState.FAILED)
        count += 1
    return count


def ours_capped(seconds: float) -> int:
    return ours(seconds, CAPPED)


def share_of(organisation: Organisation) -> float:
    """Of the first claims, how many were the big organisation's; its fair share is one of 50."""
    served = 0
    for _ in range(LOOKED_AT):
        lease = leases.claim_next(PIPELINE)
        served += lease.row.organisation_id == organisation.pk
        with transaction.atomic():
            leases.finish(lease, state=UploadState.FAILED)
    return served / LOOKED_AT
