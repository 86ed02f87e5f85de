import datetime as dt
import smtplib
import socketserver
import threading

import pytest
from django.core import mail as outbox_of_mail
from django.core.mail import EmailMessage
from django.db.models.functions import Now

from tests.factories import UserFactory
from work import digests, leases, mails, runner
from work.models import Attempt, Mail, MailState, Notification, Outcome
from work.outbox import seconds_from_now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rested(monkeypatch):
    monkeypatch.setattr(mails, "_rests_until", 0.0)


def queued(**changes):
    user = changes.pop("user", None) or UserFactory(email="ann@example.org")
    return mails.queue(**{"user": user, "key": "k", "subject": "News", "text": "Text", **changes})


def send_all():
    while (lease := leases.claim_next(mails.PIPELINE)) is not None:
        runner.run(lease)


def test_a_queued_mail_is_sent_with_its_fixed_message_id():
    mail = queued()

    send_all()

    (sent,) = outbox_of_mail.outbox
    mail.refresh_from_db()
    assert mail.state == MailState.SENT
    assert (sent.to, sent.subject, sent.body) == (["ann@example.org"], "News", "Text")
    assert sent.message()["Message-ID"] == mail.message_id
    assert sent.message()["Auto-Submitted"] == "auto-generated"


def test_a_second_sending_is_the_same_message():
    mail = queued()
    send_all()
    Mail.objects.update(state=MailState.QUEUED, finished_at=None, due_at=Now())

    send_all()

    first, second = outbox_of_mail.outbox
    assert first.message()["Message-ID"] == second.message()["Message-ID"] == mail.message_id
    assert first.message()["Date"] == second.message()["Date"]


def test_the_same_key_makes_one_mail():
    user = UserFactory()

    assert queued(user=user) is not None
    assert queued(user=user) is None
    assert Mail.objects.count() == 1


def test_a_subject_stays_on_one_line():
    assert queued(subject="News\r\nBcc: all@example.org").subject == "News Bcc: all@example.org"


def test_a_person_without_an_address_fails_the_mail():
    mail = queued(user=UserFactory(email=""))

    send_all()

    mail.refresh_from_db()
    assert (mail.state, mail.failure_code) == (MailState.FAILED, "mail_no_address")


class SmtpHandler(socketserver.StreamRequestHandler):
    """Just enough of a mail server; `answers` says what it replies to RCPT."""

    def handle(self):
        self.server.connections += 1
        self.say(self.server.greeting)
        while line := self.rfile.readline():
            word = line.split()[0].upper().decode() if line.split() else ""
            if word == "DATA":
                self.say("354 go on")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                self.server.taken += 1
                self.say("250 taken")
            elif word == "RCPT":
                self.say(self.server.rcpt)
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 fine")

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())


class SmtpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    greeting, rcpt, taken, connections = "220 mail.example", "250 fine", 0, 0


@pytest.fixture
def server(settings):
    with SmtpServer(("127.0.0.1", 0), SmtpHandler) as made:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = made.server_address
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_TIMEOUT = 5
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_a_real_server_takes_it(server):
    queued()

    send_all()

    assert server.taken == 1
    assert Mail.objects.get().state == MailState.SENT


def test_an_address_refused_for_good_fails_the_mail(server):
    server.rcpt = "550 no such person"
    queued()

    send_all()

    mail = Mail.objects.get()
    assert (mail.state, mail.failure_code, mail.failure_detail) == ("failed", "mail_refused", {"status": 550})


@pytest.mark.parametrize("answer", ["450 greylisted", "535 authentication failed"])
def test_an_answer_that_may_change_is_tried_again(server, answer):
    server.rcpt = answer
    queued()

    send_all()

    mail = Mail.objects.get()
    assert (mail.state, mail.unanswered) == (MailState.QUEUED, 0)
    assert Attempt.objects.get().outcome == Outcome.TEMPORARY_FAILURE


def test_a_server_that_is_away_costs_one_try_for_all_mails(server, settings):
    server.shutdown()
    server.socket.close()
    queued(key="a")
    queued(key="b", user=UserFactory())

    send_all()

    outcomes = list(Attempt.objects.order_by("id").values_list("outcome", "code"))
    assert outcomes == [
        (Outcome.TEMPORARY_FAILURE, "mail_server_unreachable"),
        (Outcome.POSTPONED, "mail_server_unreachable"),
    ]
    assert set(Mail.objects.values_list("state", flat=True)) == {MailState.QUEUED}


def test_a_mail_that_waited_for_days_is_given_up(server):
    server.rcpt = "450 greylisted"
    queued()
    Mail.objects.update(accepted_at=seconds_from_now(-4 * 24 * 3600))

    send_all()

    assert Mail.objects.get().state == MailState.FAILED


def test_a_connection_that_is_refused_by_the_server_is_temporary(monkeypatch):
    def refused(message):
        raise smtplib.SMTPConnectError(421, "too many")

    monkeypatch.setattr(EmailMessage, "send", refused)
    queued()

    send_all()

    assert Mail.objects.get().state == MailState.QUEUED


def test_a_server_that_turns_everybody_away_is_temporary(server):
    server.greeting = "554 go away"
    queued()

    send_all()

    assert Mail.objects.get().state == MailState.QUEUED


def daily(**changes):
    return UserFactory(mailing="daily", time_zone="UTC", **changes)


def news(user, title, **changes):
    return Notification.objects.create(
        user=user, event=changes.pop("event"), kind="x", title=title, path="/x", is_for_digest=True, **changes
    )


def at(hour, monkeypatch, *, day=1):
    moment = dt.datetime(2026, 6, day, hour, 30, tzinfo=dt.UTC)
    monkeypatch.setattr(digests, "database_now", lambda: moment)


class Counting:
    """A job without a lease: what a digest needs of one."""

    def progress(self, done, *, total=None, unit=""):
        pass


def test_a_digest_carries_all_news_once(monkeypatch):
    user = daily()
    for number in range(3):
        news(user, f"Upload {number}", event=f"00000000-0000-0000-0000-00000000000{number}")
    at(7, monkeypatch)

    assert digests.write(Counting()) == "wrote 1 digests"
    assert digests.write(Counting()) == "no digest was due"

    mail = Mail.objects.get()
    assert mail.subject == "3 messages since your last digest"
    assert mail.text.index("Upload 0") < mail.text.index("Upload 2")
    assert mail.text.count("http://127.0.0.1:8000/x") == 3


def test_a_digest_waits_for_the_morning_of_the_person(monkeypatch):
    news(daily(), "a", event="00000000-0000-0000-0000-000000000001")
    at(6, monkeypatch)
    assert digests.write(Counting()) == "no digest was due"

    other = UserFactory(mailing="daily", time_zone="Asia/Tokyo")
    news(other, "b", event="00000000-0000-0000-0000-000000000001")
    digests.write(Counting())

    assert Mail.objects.get().user == other


def test_a_missed_hour_is_made_up_for_the_same_day_and_not_twice(monkeypatch):
    user = daily()
    news(user, "a", event="00000000-0000-0000-0000-000000000001")
    at(15, monkeypatch)
    digests.write(Counting())
    news(user, "b", event="00000000-0000-0000-0000-000000000002")

    digests.write(Counting())
    assert Mail.objects.count() == 1

    at(7, monkeypatch, day=2)
    digests.write(Counting())
    assert Mail.objects.count() == 2


def test_a_digest_leaves_out_what_was_read(monkeypatch):
    news(daily(), "a", event="00000000-0000-0000-0000-000000000001", read_at=Now())
    at(7, monkeypatch)

    assert digests.write(Counting()) == "no digest was due"
    assert not Notification.objects.filter(is_for_digest=True).exists()


def test_an_unknown_zone_falls_back(monkeypatch):
    news(
        UserFactory(mailing="daily", time_zone="Mars/Olympus"),
        "a",
        event="00000000-0000-0000-0000-000000000001",
    )
    at(7, monkeypatch)

    assert digests.write(Counting()) == "wrote 1 digests"
