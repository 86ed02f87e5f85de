import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from tests.factories import OrganisationFactory, UserFactory
from work import leases, outbox, runner, webhooks
from work.failures import PermanentFailure, StateChanged
from work.models import Attempt, CallState, Decision, Event, Webhook, WebhookCall

pytestmark = pytest.mark.django_db


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((dict(self.headers), body))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def receiver(settings):
    settings.OUTBOUND_ALLOW = ["127.0.0.1"]
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.taken, server.status, server.headers = [], 204, {}
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def webhook(receiver):
    return webhooks.add(url=f"http://127.0.0.1:{receiver.server_address[1]}/hook", by="operator")


def told(**changes):
    with transaction.atomic():
        event = outbox.record(
            "upload.needs_answer", subject="u-1", kind="upload", label="stations.csv", **changes
        )
        webhooks.call_all(event, title="Which column?", text="…", path="/uploads/u-1/")
    return event


def call_all():
    while (lease := leases.claim_next(webhooks.PIPELINE)) is not None:
        runner.run(lease)


def test_a_call_says_what_happened_and_is_signed(receiver, webhook):
    event = told()

    call_all()

    ((headers, body),) = receiver.taken
    call = WebhookCall.objects.get()
    assert (call.state, call.answered_with) == (CallState.ANSWERED, 204)
    said = json.loads(body)
    assert said["id"] == str(event.pk)
    assert said["subject"] == {"kind": "upload", "id": "u-1", "label": "stations.csv"}
    assert said["url"] == "http://127.0.0.1:8000/uploads/u-1/"
    assert (headers["Waybill-Event"], headers["Waybill-Delivery"]) == ("upload.needs_answer", str(call.pk))
    moment, given = headers["Waybill-Signature"].removeprefix("t=").split(",v1=")
    expected = hmac.new(webhook.secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(given, expected)


def test_an_event_calls_a_webhook_once(receiver, webhook):
    event = told()
    webhooks.call_all(event, title="Which column?", text="…", path="/uploads/u-1/")

    call_all()

    assert len(receiver.taken) == 1


@pytest.mark.parametrize("status", [500, 503, 429, 408])
def test_a_receiver_that_is_busy_is_called_again(receiver, webhook, status):
    receiver.status = status
    told()

    call_all()

    call = WebhookCall.objects.get()
    assert (call.state, call.unanswered) == (CallState.QUEUED, 0)
    assert Attempt.objects.get().detail == {"status": status}


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_a_receiver_that_refuses_is_not_called_again(receiver, webhook, status):
    receiver.status = status
    told()

    call_all()

    call = WebhookCall.objects.get()
    assert (call.state, call.failure_code) == (CallState.FAILED, "webhook_refused")
    assert Event.objects.filter(type="webhook.failed").count() == 1


def test_a_redirect_is_not_followed(receiver, webhook):
    receiver.status, receiver.headers = 307, {"Location": "http://127.0.0.1:1/"}
    told()

    call_all()

    assert WebhookCall.objects.get().failure_code == "webhook_refused"


def test_a_private_address_is_refused(receiver, webhook, settings):
    settings.OUTBOUND_ALLOW = []
    told()

    call_all()

    assert WebhookCall.objects.get().failure_code == "outbound_address_refused"
    assert receiver.taken == []


def test_a_webhook_that_is_switched_off_is_not_called(receiver, webhook):
    told()
    webhooks.switch_off(webhook=webhook, by="operator", why="retired")

    call_all()
    told()

    assert receiver.taken == []
    assert WebhookCall.objects.get().failure_code == "webhook_off"
    assert not Event.objects.filter(type="webhook.failed").exists()
    with pytest.raises(StateChanged):
        webhooks.switch_off(webhook=webhook, by="operator")


def test_a_webhook_has_a_secret_of_its_own_and_a_decision():
    organisation = OrganisationFactory()

    made = [
        webhooks.add(url="https://x.example/", organisation=organisation, by=UserFactory()) for _ in range(2)
    ]

    assert len({webhook.secret for webhook in made}) == 2
    assert len(made[0].secret) == 64
    assert Decision.objects.filter(what="webhook.added", organisation=organisation).count() == 2


def test_an_address_that_is_never_called_is_refused_at_once():
    with pytest.raises(PermanentFailure, match="outbound_url_unusable"):
        webhooks.add(url="ftp://x.example/", by="operator")
    assert not Webhook.objects.exists()


def run(*words):
    output = StringIO()
    call_command("webhook", *words, stdout=output)
    return output.getvalue().split()


def test_the_command_adds_lists_and_switches_off(receiver):
    organisation = OrganisationFactory(slug="acme")
    url = f"http://127.0.0.1:{receiver.server_address[1]}/hook"

    pk, secret = run("add", url, "--organisation", "acme", "--by", "ann")
    told(organisation=organisation)
    call_all()

    webhook = Webhook.objects.get(pk=pk)
    assert (webhook.organisation, webhook.secret) == (organisation, secret)
    assert run("list")[:3] == [pk, "on", url]
    assert run("list")[-6:] == ["1", "answered,", "0", "failed,", "0", "waiting"]
    run("off", pk, "--by", "ann", "--why", "retired")
    assert run("list")[1] == "off"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "ftp://x.example/", "--by", "ann"), "can be called"),
        (("add", "https://x.example/", "--by", "ann", "--organisation", "gone"), "no organisation gone"),
        (("off", "01a22d61-27c2-7615-b5f7-b2d9ee4a2546", "--by", "ann"), "no webhook"),
        (("off", "x", "--by", "ann"), "no webhook"),
    ],
)
def test_the_command_says_what_is_wrong(words, said):
    with pytest.raises(CommandError, match=said):
        run(*words)
