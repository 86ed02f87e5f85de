"""A worker that dies right after a step of any pipeline, and the ground's while it delivers: what the step
stored stands, what was not finished is done once more."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.db import transaction

from ingestion import bulk_reprocess, reports
from ingestion.models import Report, Upload
from ingestion.search import reindexes
from tests.crash import plain
from tests.crash.conftest import TIMES
from tests.crash.points import after_steps
from tests.crash.test_plain_work import running
from tests.crash.world import World, check_index, finished_once, is_indexed
from work import bulk, doorbell, identifiers, invariants_deep, mails, outbox, webhooks
from work.models import Delivery, Webhook, WebhookCall

pytestmark = pytest.mark.slow

DELIVERIES = ("deliver.indexing", "deliver.notification", "deliver.analytics")
POINTS = (*after_steps(), *DELIVERIES, "release.after")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append(self.headers["Waybill-Delivery"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def receiver():
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.taken = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def numbers():
    return iter(range(1000))


@pytest.fixture
def world(installation, numbers):
    return World.make(f"steps-{next(numbers)}", organisations=1, datasets=1)


@pytest.mark.parametrize("time", range(TIMES))
def test_killed_right_after_a_step_of_each_pipeline(installation, world, receiver, table, time):
    upload = world.upload_random(9500 + 4 * time, rows=200)
    installation.wait_until(lambda: world.unfinished() == 0, seconds=60, what="a file has its verdict")
    upload = Upload.objects.get(pk=upload.pk)

    installation.choose(*after_steps())
    second = world.upload_random(9501 + 4 * time, rows=200)
    report = reports.request(upload=upload, kind="csv", by=world.by)
    rebuild, _ = reindexes.request(organisation=upload.organisation, dataset=upload.dataset, by=world.by)
    verification = invariants_deep.request(by=world.by)
    user = world.by.user
    mail = mails.queue(user=user, key=str(identifiers.uuid7()), subject="Told", text="Once")
    call = make_call(receiver, upload.organisation)
    action = read_again(world, upload)
    rows = (second, report, rebuild, verification, mail, call, action)
    installation.wait_until(
        lambda: world.unfinished() == 0 and all(map(installation.passages, after_steps())), seconds=120,
        what="each step was followed by a kill",
    )  # fmt: skip
    installation.wait_until(
        lambda: all(type(row).objects.get(pk=row.pk).finished_at for row in rows), seconds=60,
        what="all of it is finished",
    )  # fmt: skip
    installation.wait_until(
        lambda: not Upload.objects.filter(reprocesses=upload, finished_at=None).exists()
        and is_indexed(world.datasets),
        seconds=60, what="it is read again and indexed",
    )  # fmt: skip
    installation.choose()
    Webhook.objects.filter(pk=call.webhook_id).update(is_active=False)

    for point in after_steps():
        table.count(point, reached=installation.last_passages(point))
    assert finished_once(*rows)
    states = [type(row).objects.get(pk=row.pk).state for row in rows[1:]]
    assert states == ["built", "rebuilt", "checked", "sent", "answered", "finished"]
    assert Report.objects.get(pk=report.pk).size
    assert receiver.taken.count(str(call.pk)) == 1
    assert Upload.objects.get(reprocesses=upload).unchanged == upload.valid
    world.check()
    check_index(upload.dataset)


def make_call(receiver, organisation):
    webhook = webhooks.add(
        url=f"http://127.0.0.1:{receiver.server_address[1]}/hook", organisation=organisation, by="operator"
    )
    with transaction.atomic():
        event = outbox.record("test.told", subject="t", kind="test", organisation=organisation.pk)
        webhooks.call_all(event, title="Told", text="Once", path="/")
    return WebhookCall.objects.get(webhook=webhook, event=event.pk)


def read_again(world, upload):
    rule = {"ids": [str(upload.pk)]}
    made, _ = bulk.accept(
        kind=bulk_reprocess.KIND, rule=rule, shown=bulk.preview(bulk_reprocess.KIND, rule), by=world.by,
        why="once more", key=identifiers.uuid7(),
    )  # fmt: skip
    return made


@pytest.mark.parametrize("time", range(TIMES))
def test_killed_while_events_are_delivered(installation, world, table, time):
    installation.choose(*DELIVERIES)
    world.upload_random(9601 + 4 * time, rows=200)
    installation.wait_until(
        lambda: world.unfinished() == 0 and all(map(installation.passages, DELIVERIES)), seconds=90,
        what="each consumer was killed",
    )  # fmt: skip
    installation.wait_until(
        lambda: not Delivery.objects.filter(finished_at=None).exists() and is_indexed(world.datasets),
        seconds=60, what="all is delivered",
    )  # fmt: skip
    installation.choose()

    for point in DELIVERIES:
        table.count(point, reached=installation.last_passages(point))
    assert not Delivery.objects.filter(state="dead").exists()
    world.check()
    check_index(world.datasets[0])


@pytest.mark.parametrize("time", range(TIMES))
def test_killed_right_after_giving_work_back(installation, organisation, table, time):
    """Asked to stop it gave its row back, so its death is nobody's."""
    pk, asked = running(installation, organisation, seconds=1)
    installation.choose("release.after")

    asked.terminate()
    installation.wait_until(lambda: installation.passages("release.after"), seconds=20, what="it is released")
    doorbell.ring()
    installation.wait_until(lambda: plain.unfinished() == 0, seconds=40, what="another worker does it")
    installation.choose()

    table.count("release.after", reached=installation.last_passages("release.after"))
    assert (plain.effects()[pk], plain.row(pk)["unanswered"]) == (1, 0)
