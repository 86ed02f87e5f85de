import uuid

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from tests.factories import OrganisationFactory, UploadFactory
from work import metrics, outbox, periodic
from work.models import Attempt, Canary, PeriodicRun, PipelinePause, RefusedWrite, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker_lives(db):
    """The heart of a test that ran leased work leaves its row behind, past that test's transaction."""
    Worker.objects.all().delete()


@pytest.fixture
def scraped():
    """The samples of a fresh scrape, by name and labels."""

    def scrape():
        text = metrics.Page().text().decode()
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    return scrape


def ended_attempt(pipeline, subject, outcome):
    return Attempt.objects.create(
        pipeline=pipeline, subject=subject, number=1, token=uuid.uuid4(), worker=uuid.uuid4(),
        worker_label="host:1", ended_at=timezone.now(), outcome=outcome,
        steps=[{"name": "run_job", "seconds": 2.0}],
    )  # fmt: skip


def test_depth_and_age_of_a_pipeline(scraped):
    run = PeriodicRun.objects.create(name="sweep", slot=periodic.database_now())
    PeriodicRun.objects.filter(pk=run.pk).update(accepted_at=timezone.now() - timezone.timedelta(seconds=90))

    samples = scraped()

    assert samples['waybill_waiting_rows{pipeline="periodic"}'] == 1
    assert samples['waybill_due_rows{pipeline="periodic"}'] == 1
    assert samples['waybill_running_rows{pipeline="periodic"}'] == 0
    assert 89 < samples['waybill_oldest_waiting_seconds{pipeline="periodic"}'] < 120


def test_outcomes_verdicts_steps_and_starts_of_the_last_hour(scraped):
    run = PeriodicRun.objects.create(
        name="sweep", slot=periodic.database_now(), due_at=None, finished_at=timezone.now(), state="succeeded"
    )
    ended_attempt("periodic", run.pk, "finished")
    ended_attempt("periodic", uuid.uuid4(), "died")

    samples = scraped()

    assert samples['waybill_attempts_last_hour{outcome="died",pipeline="periodic"}'] == 1
    assert samples['waybill_verdicts_last_hour{pipeline="periodic",state="succeeded"}'] == 1
    assert samples['waybill_step_seconds{pipeline="periodic",quantile="0.95",step="run_job"}'] == 2
    assert samples['waybill_starts_last_hour{pipeline="periodic"}'] == 2


def test_health_of_parts(scraped):
    Worker.objects.create(id=uuid.uuid4(), cluster="ground", label="host:1", clock_skew_seconds=-3.5)
    Canary.objects.create(cluster="ground", passed_at=Now())
    PipelinePause.objects.create(pipeline="periodic", paused_by_label="operator", reason="move")
    RefusedWrite.objects.create(
        pipeline="periodic", subject=uuid.uuid4(), token=uuid.uuid4(), worker_label="host:1", tried="finish"
    )

    samples = scraped()

    assert samples['waybill_workers_alive{cluster="ground"}'] == 1
    assert samples['waybill_clock_skew_seconds{cluster="ground"}'] == -3.5
    assert samples['waybill_canary_age_seconds{cluster="ground"}'] < 60
    assert samples['waybill_paused_pipelines{pipeline="periodic"}'] == 1
    assert samples['waybill_refused_writes_last_hour{pipeline="periodic"}'] == 1
    assert samples["waybill_database_connections"] >= 1
    assert samples["waybill_oldest_transaction_seconds"] >= 0


def test_event_lag_per_consumer(scraped):
    outbox.record("upload.accepted", subject="1", kind="upload")

    samples = scraped()

    assert samples['waybill_events_last_hour{type="upload.accepted"}'] == 1
    assert samples['waybill_open_deliveries{consumer="audit"}'] == 1
    assert samples['waybill_event_lag_seconds{consumer="audit"}'] >= 0


def test_no_tenant_is_named(scraped):
    organisation = OrganisationFactory(slug="secret-tenant", title="Secret Tenant")
    UploadFactory(dataset__organisation=organisation)

    assert "ecret" not in str(scraped())


def test_a_scrape_is_kept_for_ten_seconds(django_assert_num_queries):
    page = metrics.Page()
    first = page.text()

    with django_assert_num_queries(0):
        assert page.text() == first


def test_registering_reads_no_table(django_assert_num_queries):
    metrics.registry.cache_clear()

    with django_assert_num_queries(0):
        metrics.registry()
