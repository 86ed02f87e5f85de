"""Webhooks: programs are told of what needs a person, by calls that are leased rows.

A call carries `Waybill-Signature: t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` by the secret.
"""

import datetime as dt
import hashlib
import hmac
import json
import secrets
import time
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from work import decisions, doorbell, outbound, outbox
from work.failures import PermanentFailure, StateChanged, TemporaryFailure
from work.jobs import Job
from work.models import CallState, Event, Webhook, WebhookCall
from work.outbound import Call, Rules
from work.pipelines import PIPELINES, Ending, Limits, Pipeline, Step

SIGNATURE = "Waybill-Signature"
RULES = Rules(seconds=10.0, limit_bytes=64 * 1024, redirects=0)
TRY_AGAIN = {408, 425, 429}
OFF = "webhook_off"
FAILURE_TEXTS = {
    "webhook_refused": ("The other side answered {status}.", "Look at its log; the call is not repeated."),
    "webhook_busy": ("The other side answered {status}.", "Nothing: it is tried again for a day."),
    OFF: ("The webhook was switched off.", "Switch it on again to be told of what comes next."),
    "outbound_address_refused": (
        "{host} leads to a private address, which is not called.",
        "An administrator may name it in OUTBOUND_ALLOW.",
    ),
    "outbound_url_unusable": (
        "The address is not one that can be called.",
        "Enter an http or https address.",
    ),
    "outbound_too_slow": ("{host} did not answer in time.", "Nothing: it is tried again."),
    "outbound_unreachable": ("{host} could not be reached.", "Nothing: it is tried again."),
    "outbound_name_unknown": ("The name {host} leads nowhere.", "Check the spelling of the address."),
    "outbound_tls_failed": ("The certificate of {host} was not accepted.", "Renew it at the other side."),
    "outbound_answer_unreadable": ("{host} did not answer in HTTP.", "Check the address and its port."),
    "outbound_answer_too_large": (
        "{host} answered with more than {limit} bytes.",
        "A short answer is enough.",
    ),
}


def add(*, url: str, organisation: Any = None, by: Any) -> Webhook:
    """Make a webhook with a fresh secret, of one organisation or (None) of the installation.

    Raises PermanentFailure for an address of a form that is never called.
    """
    outbound.checked(url)
    with transaction.atomic():
        webhook = Webhook.objects.create(
            url=url, organisation_id=getattr(organisation, "pk", organisation), secret=secrets.token_hex(32)
        )
        decisions.record(
            "webhook.added", by=by, kind="webhook", subject=webhook, label=url, organisation=organisation
        )
    return webhook


def switch_off(*, webhook: Webhook, by: Any, why: str = "") -> None:
    """Nothing more is told to it, what waits included. Raises StateChanged when it is off already."""
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, is_active=True).update(is_active=False):
            raise StateChanged("off")
        decisions.record(
            "webhook.switched_off", by=by, kind="webhook", subject=webhook, label=webhook.url,
            organisation=webhook.organisation_id, why=why,
        )  # fmt: skip


def call_all(event: Event, *, title: str, text: str, path: str) -> None:
    """Write a call for each webhook of the event's organisation and of the installation. Safe to repeat."""
    concerned = Q(organisation__isnull=True)
    if event.organisation_id is not None:
        concerned |= Q(organisation=event.organisation_id)
    body = _body(event, title, text, path)
    made = WebhookCall.objects.bulk_create(
        [
            WebhookCall(webhook=webhook, event=event.pk, body=body, correlation_id=event.correlation_id)
            for webhook in Webhook.objects.filter(concerned, is_active=True)
        ],
        ignore_conflicts=True,
    )
    if made:
        doorbell.ring(PIPELINES)


def signature(secret: str, body: bytes, *, at: int) -> str:
    """What the receiver computes again. `at` (seconds since 1970) lets it refuse what is old."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def call(job: Job, context: None) -> None:
    """Make the call, then finish. Killed in between, it is made again under the same id."""
    row: WebhookCall = job.row
    if not row.webhook.is_active:
        raise PermanentFailure(OFF)
    body = json.dumps(row.body, separators=(",", ":"), ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json",
        "Waybill-Event": row.body["type"],
        "Waybill-Delivery": str(row.pk),
        SIGNATURE: signature(row.webhook.secret, body, at=int(time.time())),
    }
    status = outbound.fetch(Call("POST", row.webhook.url, body, headers), RULES).status
    if status >= 500 or status in TRY_AGAIN:
        raise TemporaryFailure("webhook_busy", status=status)
    if not 200 <= status < 300:
        raise PermanentFailure("webhook_refused", status=status)
    with transaction.atomic():
        job.finish(state=CallState.ANSWERED, fields={"answered_with": status})


def _body(event: Event, title: str, text: str, path: str) -> dict[str, Any]:
    return {
        "id": str(event.pk),
        "type": event.type,
        "occurred_at": event.occurred_at.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "organisation": str(event.organisation_id) if event.organisation_id else None,
        "subject": {"kind": event.subject_kind, "id": event.subject_id, "label": event.subject_label},
        "correlation_id": event.correlation_id,
        "title": title,
        "text": text,
        "url": f"{settings.PUBLIC_BASE_URL}{path}",
    }


def _failed(row: WebhookCall, code: str, detail: dict[str, Any]) -> Ending:
    if code != OFF:
        outbox.record(
            "webhook.failed", subject=row.webhook_id, kind="webhook", label=row.webhook.url,
            organisation=row.webhook.organisation_id, payload={"call": str(row.pk), "code": code},
        )  # fmt: skip
    return Ending(CallState.FAILED)


PIPELINE = Pipeline(
    name="webhook",
    title="Webhook calls",
    model=WebhookCall,
    steps=(Step("call", call, silent_for=60, at_most=60),),
    initial=CallState.QUEUED,
    running=CallState.CALLING,
    terminal=(CallState.ANSWERED, CallState.FAILED),
    on_failure=_failed,
    cluster=PIPELINES,
    limits=Limits(running=1),  # a slow receiver holds one worker for seconds, never all of them
    moves={
        CallState.QUEUED: (CallState.CALLING,),
        CallState.CALLING: (CallState.QUEUED, CallState.ANSWERED, CallState.FAILED),
        CallState.ANSWERED: (),
        CallState.FAILED: (),
    },
)
