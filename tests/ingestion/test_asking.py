"""What an upload asks: in sentences, to whom, and what happens where nobody is to be asked."""

from dataclasses import replace

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from accounts.principals import Principal
from ingestion import asks, attention, notices, questions, sentences
from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from tests.factories import MembershipFactory
from tests.ingestion import askings
from work import failure_texts, leases, ledger, metrics_queries, notifications, runner
from work.failures import Asks
from work.models import Attempt, Event, Outcome
from work.recovery import PARKED

FILE = b"id,amount\na,1\n"


@pytest.mark.parametrize("make", askings.EVERY)
def test_every_question_has_a_sentence_and_a_remedy(make):
    message, remedy = questions.describe(make())

    assert message.endswith(".")
    assert remedy.endswith(".")
    assert "{" not in message + remedy


def test_sentences_name_what_is_in_doubt():
    assert "“Data”, “Old”" in questions.describe(askings.which_sheet())[0]
    assert "of “Data” holds" in questions.describe(askings.which_header())[0]
    assert "hold “id”." in questions.describe(askings.which_columns())[0]
    assert "30 of 100 records" in questions.describe(askings.confirm_retirement())[0]


def test_many_names_are_cut():
    many = [{"name": f"S{number}", "rows": []} for number in range(20)]

    said = questions.describe({"code": "which_sheet", "detail": {}, "sheets": many})[0]

    assert said.endswith("“S7” and 12 more.")


class Asking:
    """A step that asks, in the place of those that read."""

    def __init__(self, asking):
        self.asking = asking

    def __call__(self, job, context):
        asks.ask(job.row, self.asking)


@pytest.fixture
def work_and_ask(accept, monkeypatch):
    """A worker takes the upload, and its first step asks."""

    def work_and_ask(asking, on_doubt="ask"):
        upload = accept(FILE)
        Upload.objects.filter(pk=upload.pk).update(on_doubt=on_doubt)
        lease = leases.claim_next(PIPELINE)
        step = PIPELINE.steps[0]
        lease.pipeline = replace(PIPELINE, steps=(replace(step, run=Asking(asking)),))
        runner.run(lease)
        return Upload.objects.get(pk=upload.pk)

    return work_and_ask


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", askings.EVERY)
def test_upload_that_asks_waits_for_its_owner_and_says_so(work_and_ask, make):
    upload = work_and_ask(make())

    assert (upload.state, upload.question, upload.asking) == ("needs_answer", make()["code"], make())
    assert upload.due_at is None
    event = Event.objects.get(type="upload.needs_answer")
    assert event.payload["question"] == make()["code"]
    assert event.payload["owner"] == upload.uploaded_by_id
    assert Attempt.objects.get().outcome == Outcome.ASKED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", askings.EVERY)
def test_upload_that_must_not_ask_fails_by_the_code_of_the_question(work_and_ask, make):
    upload = work_and_ask(make(), on_doubt="fail")

    message, remedy = failure_texts.describe(upload.failure_code, upload.failure_detail)
    assert (upload.state, upload.failure_code) == ("failed", make()["code"])
    assert message == questions.describe(make())[0]
    assert "let it ask" in remedy
    assert not Event.objects.filter(type="upload.needs_answer").exists()


def test_question_raised_is_the_state_of_the_upload():
    with pytest.raises(Asks) as raised:
        asks.ask(Upload(), askings.which_sheet())

    assert (raised.value.question, raised.value.state) == ("which_sheet", "needs_answer")


@pytest.fixture
def asking(accept):
    return askings.let_ask(accept(FILE), askings.which_columns())


@pytest.mark.django_db
def test_question_is_first_of_what_needs_a_person(asking):
    owner = MembershipFactory(organisation=asking.organisation).user
    stranger = MembershipFactory().user
    kind = attention.KINDS[0]

    assert (kind.name, list(kind.query(None))) == ("upload_needs_answer", [asking])
    assert list(kind.query(Principal(owner))) == [asking]
    assert list(kind.query(Principal(stranger))) == []
    case = kind.case(asking)
    assert (case.question, case.since) == (questions.describe(asking.asking)[0], asking.asked_at)


@pytest.mark.django_db
def test_upload_that_recovery_parked_asks_its_owner_nothing(accept):
    parked = accept(FILE)
    Upload.objects.filter(pk=parked.pk).update(due_at=None, asked_at=Now(), question=PARKED)

    assert list(attention.asking(None)) == []


@pytest.mark.django_db
def test_question_is_told_to_its_owner_with_the_way_to_it(asking):
    event = Event.objects.get(type="upload.needs_answer")

    assert notices._text(event) == " ".join(questions.describe(asking.asking))
    assert notifications.find(event.type).title(event) == "stations.csv needs an answer before it goes on"
    assert notices._path(event) == reverse("upload", args=[asking.pk])
    Upload.objects.filter(pk=asking.pk).update(asking=None)
    assert notices._text(event) == "It was answered meanwhile."


@pytest.mark.django_db
def test_page_title_and_sentence_say_what_is_asked(asking):
    said = sentences.of(asking)

    assert said.title == "stations.csv needs an answer"
    assert (said.missing, said.remedy) == questions.describe(asking.asking)


@pytest.mark.django_db
def test_only_tried_file_is_no_case(accept):
    tried = accept(FILE)
    Upload.objects.filter(pk=tried.pk).update(
        dry_run=True, state="partial", due_at=None, finished_at=Now(), run=tried.pk
    )

    assert list(attention.to_mend(None)) == []


@pytest.mark.django_db(transaction=True)
def test_only_tried_file_answers_no_case_of_a_stored_one(process, accept):
    stored = process(b"id,amount\na,many\nb,1\n")
    tried = accept(FILE)
    Upload.objects.filter(pk=tried.pk).update(dry_run=True)

    assert list(attention.to_mend(None)) == [stored]


@pytest.mark.django_db
def test_ledger_counts_a_question_as_for_a_person(asking):
    line = next(line for line in ledger.lines() if line.pipeline == "upload")

    row = ledger.read_line(line, Upload.objects.all(), asking.accepted_at)

    assert (row.counts[ledger.FOR_A_PERSON], row.counts[ledger.WAITING]) == (1, 0)


@pytest.mark.django_db
def test_metrics_count_a_question_as_asking_and_not_as_waiting(asking):
    depth = next(row for row in metrics_queries.depth() if row[0] == "upload")

    assert depth[1:5] == (0, 0, 0, 1)  # waiting, due, running, asking
