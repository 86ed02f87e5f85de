"""The ground's own cases: dead letters, parked rows, failed periodic jobs, ill clusters, broken invariants.
All of them are an operator's."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.urls import reverse

from work import health, invariants, parked, periodic, pipelines, wording
from work.attention import COUNTED_AT_MOST, AttentionKind, Case
from work.health import ClusterHealth
from work.models import Canary, Delivery, DeliveryState, Event, PeriodicRun
from work.pipelines import Pipeline
from work.recovery import PARKED

# The newest run of each job that was not skipped, where it failed; by the ledger's index, however long it is.
FAILED_LAST = """
SELECT newest.* FROM unnest(%s::text[]) AS job(name) CROSS JOIN LATERAL (
  SELECT r.* FROM work_periodicrun r WHERE r.name = job.name AND r.state IN ('succeeded', 'failed')
  ORDER BY r.slot DESC LIMIT 1) newest
WHERE newest.state = 'failed' ORDER BY newest.finished_at
"""
PARKED_IN = """
(SELECT %s, id, asked_at FROM {table} WHERE asked_at IS NOT NULL AND question = %s)
"""


def for_operators(query: Callable[[], Any], empty: Callable[[], Any]) -> Callable[[Any], Any]:
    """The query of a kind that only operators see; None stands for the installation itself."""
    return lambda principal: query() if principal is None or principal.is_operator else empty()


def dead_letters() -> QuerySet[Delivery]:
    return Delivery.objects.filter(asked_at__isnull=False, state=DeliveryState.DEAD).select_related(
        "event", "event__organisation"
    )


def failed_jobs() -> Sequence[PeriodicRun]:
    return list(PeriodicRun.objects.raw(FAILED_LAST, [[job.name for job in periodic.every()]]))


def ill_clusters() -> Sequence[ClusterHealth]:
    """Asked of every page of an operator: only a suspect is looked at closely."""
    waits = set(Canary.objects.filter(waiting_since__isnull=False).values_list("cluster", flat=True))
    suspects = [name for name in health.CLUSTERS if name in waits or not health.alive_workers(name).exists()]
    looked_at = [health.cluster_health(name) for name in suspects]
    return [cluster for cluster in looked_at if cluster.state in ("hung", "silent")]


def parked_rows() -> Sequence[tuple[Pipeline, Any]]:
    """Of every pipeline, oldest first. One statement finds whether there are any, which is seldom."""
    among = pipelines.every()
    statement = " UNION ALL ".join(PARKED_IN.format(table=pipeline.table) for pipeline in among)
    values = [value for pipeline in among for value in (pipeline.name, PARKED)]
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} ORDER BY 3 LIMIT %s", [*values, COUNTED_AT_MOST])
        found = cursor.fetchall()
    named = {pipeline.name: pipeline for pipeline in among}
    rows = {
        name: parked.rows(named[name]).in_bulk([pk for of, pk, _ in found if of == name])
        for name in {of for of, _, _ in found}
    }
    return [(named[name], rows[name][pk]) for name, pk, _ in found if pk in rows[name]]


def broken_invariants() -> Sequence[tuple[dict[str, Any], dt.datetime]]:
    """What the last quick and the last deep run found broken, each once, with the time since it is."""
    found: dict[str, tuple[dict[str, Any], dt.datetime]] = {}
    for run in (invariants.last(deep=False), invariants.last(deep=True)):
        for finding in run.findings if run else ():
            if finding["count"] and run and run.finished_at:
                found.setdefault(
                    finding["name"], (finding, _broken_since(finding["name"]) or run.finished_at)
                )
    return sorted(found.values(), key=lambda pair: pair[1])


def dead_letter_case(row: Delivery) -> Case:
    page = reverse("dead_letter", args=[row.pk])
    return Case(
        key=str(row.pk),
        kind="dead_letter",
        title=f"An event was not taken by {row.consumer}",
        url=page,
        question="Deliver it again, or discard it?",
        since=row.asked_at or row.accepted_at,
        action="Decide",
        action_url=page,
        organisation=row.event.organisation,
        evidence=(
            ("Event", row.event.type),
            ("About", row.event.subject_label or row.event.subject_id),
            ("Reason", row.failure_code),
            ("Tries", row.starts),
        ),
    )


def failed_job_case(row: PeriodicRun) -> Case:
    job = periodic.get(row.name)
    page = reverse("periodic_run", args=[row.pk])
    return Case(
        key=row.name,
        kind="periodic",
        title=f"The last run failed: {job.title if job else row.name}",
        url=page,
        question="Is the cause gone, so that it can run again?",
        since=row.finished_at or row.accepted_at,
        action="Look at the run",
        action_url=page,
        evidence=(("Slot", wording.exact(row.slot)), ("Reason", row.failure_code)),
    )


def ill_cluster_case(row: ClusterHealth) -> Case:
    page = reverse("health_panel")
    hung = row.state == "hung"
    return Case(
        key=row.cluster,
        kind="cluster",
        title=f"The {row.cluster} workers {'take nothing up' if hung else 'give no sign of life'}",
        url=page,
        question="Do its processes run, and does the supervisor restart them?",
        since=_ill_since(row),
        action="Look at the workers",
        action_url=page,
        evidence=(("Workers alive", row.workers), ("Busy", row.busy)),
    )


def broken_invariant_case(pair: tuple[dict[str, Any], dt.datetime]) -> Case:
    finding, since = pair
    page = reverse("invariants")
    first = finding["breaches"][0]
    return Case(
        key=finding["name"],
        kind="invariant",
        title=f"Does not hold: {finding['title']}",
        url=page,
        question="What broke it?",
        since=since,
        action="Look at the invariants",
        action_url=page,
        evidence=(("Breaches", finding["count"]), ("First", f"{first['subject']}: {first['sentence']}")),
    )


def parked_case(pair: tuple[Pipeline, Any]) -> Case:
    pipeline, row = pair
    page = reverse("parked_row", args=[pipeline.name, row.pk])
    return Case(
        key=f"{pipeline.name}:{row.pk}",
        kind="parked",
        title=f"Recovery could not free a row of {pipeline.title}: {row}",
        url=page,
        question="Try it again, or end it as failed?",
        since=row.asked_at,
        action="Decide",
        action_url=page,
        organisation=getattr(row, "organisation", None),
        evidence=(("State", row.state), ("Step", row.step or "none"), ("Starts", row.starts)),
    )


def kinds() -> list[AttentionKind]:
    return [
        AttentionKind(
            "dead_letter",
            "Dead letters",
            for_operators(dead_letters, Delivery.objects.none),
            dead_letter_case,
        ),
        AttentionKind("periodic", "Failed periodic jobs", for_operators(failed_jobs, list), failed_job_case),
        AttentionKind("cluster", "Workers", for_operators(ill_clusters, list), ill_cluster_case),
        AttentionKind(
            "invariant", "Invariants", for_operators(broken_invariants, list), broken_invariant_case
        ),
        AttentionKind("parked", "Parked rows", for_operators(parked_rows, list), parked_case),
    ]


def _ill_since(cluster: ClusterHealth) -> dt.datetime:
    canary = Canary.objects.filter(cluster=cluster.cluster).first()
    return (
        cluster.waiting_since
        or health.last_seen(cluster.cluster)
        or (canary.sent_at if canary else None)
        or periodic.database_now()
    )


def _broken_since(name: str) -> dt.datetime | None:
    told = Event.objects.filter(subject_kind="invariant", subject_id=name, type="invariant.broken")
    return told.order_by("-id").values_list("occurred_at", flat=True).first()
