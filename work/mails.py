"""Mails: one leased row per message and person. A mail server that is away delays mails and loses none."""

import datetime as dt
import smtplib
import time
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils.timezone import localtime

from work import doorbell
from work.failures import PermanentFailure, Postponed, TemporaryFailure
from work.identifiers import uuid7
from work.jobs import Job
from work.models import Mail, MailState
from work.pipelines import PIPELINES, Ending, Limits, Pipeline, Step

# After a failed connection the other mails wait too: each try costs the ground's worker its time-out.
REST_SECONDS = 60.0
FAILURE_TEXTS = {
    "mail_no_address": (
        "The person has no mail address.",
        "Enter one, or leave it: the page tells them too.",
    ),
    "mail_refused": ("The mail server refused the message ({status}).", "Check the address of the person."),
    "mail_server_unreachable": ("The mail server gave no answer.", "Check EMAIL_URL and the server."),
    "mail_server_busy": ("The mail server asked to try later ({status}).", "Nothing: it is tried again."),
}
_rests_until = 0.0


def queue(*, user: Any, key: str, subject: str, text: str) -> Mail | None:
    """Write a mail to be sent, in the caller's transaction. A key makes one mail: None the second time.

    The Message-ID is fixed here, so that a second sending shows as the same message to those who received it.
    """
    message_id = f"<{uuid7()}@{urlsplit(settings.PUBLIC_BASE_URL).hostname or 'localhost'}>"
    mail, made = Mail.objects.get_or_create(
        key=key,
        defaults={"user": user, "subject": _one_line(subject), "text": text, "message_id": message_id},
    )
    if not made:
        return None
    doorbell.ring(PIPELINES)
    return mail


def send(job: Job, context: None) -> None:
    """Hand the message over, then finish. Killed in between, it is sent again under the same Message-ID."""
    mail: Mail = job.row
    if not mail.user.email:
        raise PermanentFailure("mail_no_address")
    _rest_with_the_others()
    message = EmailMessage(
        subject=mail.subject,
        body=mail.text,
        to=[mail.user.email],
        headers={
            "Message-ID": mail.message_id,
            "Date": format_datetime(localtime(mail.accepted_at)),
            "Auto-Submitted": "auto-generated",
        },
    )
    _hand_over(message)
    with transaction.atomic():
        job.finish(state=MailState.SENT)


def _rest_with_the_others() -> None:
    left = _rests_until - time.monotonic()
    if left > 0:
        raise Postponed("mail_server_unreachable", dt.timedelta(seconds=left))


def _hand_over(message: EmailMessage) -> None:
    """Translates what mail servers do into our failures."""
    global _rests_until
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as refused:
        raise _by_status(next((code for code, _ in refused.recipients.values()), 0)) from refused
    except smtplib.SMTPConnectError as error:
        _rests_until = time.monotonic() + REST_SECONDS
        raise TemporaryFailure("mail_server_unreachable") from error
    except smtplib.SMTPResponseException as error:
        raise _by_status(error.smtp_code) from error
    except (smtplib.SMTPException, OSError) as error:
        _rests_until = time.monotonic() + REST_SECONDS
        raise TemporaryFailure("mail_server_unreachable") from error


def _by_status(status: int) -> Exception:
    """5 is for good, but for authentication: that is our own configuration, which somebody will mend."""
    if 500 <= status < 600 and status not in (530, 534, 535):
        return PermanentFailure("mail_refused", status=status)
    return TemporaryFailure("mail_server_busy", status=status)


def _one_line(subject: str) -> str:
    """A subject with a line break in it would be refused as a forged header."""
    return " ".join(subject.split())[:250]


def _failed(row: Mail, code: str, detail: dict[str, Any]) -> Ending:
    return Ending(MailState.FAILED)


PIPELINE = Pipeline(
    name="mail",
    title="Mails",
    model=Mail,
    steps=(Step("send", send, silent_for=120, at_most=120),),
    initial=MailState.QUEUED,
    running=MailState.SENDING,
    terminal=(MailState.SENT, MailState.FAILED),
    on_failure=_failed,
    cluster=PIPELINES,  # a slow mail server must not hold up the ticks
    limits=Limits(running=1, gives_up_after=dt.timedelta(days=3)),
    moves={
        MailState.QUEUED: (MailState.SENDING,),
        MailState.SENDING: (MailState.QUEUED, MailState.SENT, MailState.FAILED),
        MailState.SENT: (),
        MailState.FAILED: (),
    },
)
