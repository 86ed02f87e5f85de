"""A chain of uploads as one story: attention, the API, what the invariants see, what a part may not do."""

import pytest
from django.db import connection

from accounts.principals import Principal
from ingestion import attention, invariants, sentences, stories
from ingestion.models import Dataset, Record, RowError, Upload
from tests.factories import MembershipFactory
from tests.ingestion.conftest import work_on

pytestmark = pytest.mark.django_db(transaction=True)
FILE = "id,amount\na,x\nb,2\nc,y\n"


@pytest.fixture
def chain(accept, process):
    """`chain("id,amount…")`: a file that mends the first, and the first."""
    first = process(FILE)

    def mend(content, *, mends=first, **more):
        sent = accept(content)
        Upload.objects.filter(pk=sent.pk).update(mends=mends, story=first, **more)
        return work_on(sent)

    return first, mend


def cases(upload):
    member = MembershipFactory(organisation=upload.organisation).user
    return [attention._mend_case(one) for one in attention.to_mend(Principal(member))]


def breaches():
    found = {}
    for invariant in invariants.EVERY:
        if invariant.name.startswith("upload_") and (broken := list(invariant.check(True))):
            found[invariant.name] = broken
    return found


def test_nothing_left_is_no_case_and_the_newest_chapter_is_where_one_goes_on(chain):
    first, mend = chain
    assert [case.title for case in cases(first)] == ["stations.csv was stored in part"]

    second = mend("id,amount\na,1\nc,z\n")
    (case,) = cases(first)
    assert (case.title, case.key) == ("stations.csv: 1 row left to mend", str(second.pk))
    assert dict(case.evidence)["Left"] == "1 of 3 rows"

    mend("id,amount\nc,3\n", mends=second)
    assert cases(first) == []


def test_chapter_that_is_clean_itself_leaves_the_case_of_what_is_left(chain):
    first, mend = chain

    second = mend("id,amount\na,1\n")

    assert second.state == "processed"
    assert [case.title for case in cases(first)] == ["stations.csv: 1 row left to mend"]
    assert stories.of(second).goes_on_with == first


def test_file_that_cannot_be_read_leaves_the_story_as_it_was(chain):
    first, mend = chain

    broken = mend("nothing,of\nthe,kind\n")

    assert broken.state in ("failed", "needs_answer")
    assert stories.of(first).left == 2


def test_row_that_a_later_file_added_is_left_until_it_is_mended(chain):
    first, mend = chain

    second = mend("id,amount\na,1\nc,3\nnew,q\n")
    assert (stories.of(first).mended, stories.of(first).left) == (2, 1)
    assert [case.title for case in cases(first)] == ["stations.csv: 1 row left to mend"]

    mend("id,amount\nnew,4\n", mends=second)
    assert stories.of(first).left == 0
    assert breaches() == {}


def test_trial_mends_nothing(chain):
    first, mend = chain

    tried = mend("id,amount\na,1\nc,3\n", dry_run=True)

    assert (tried.state, tried.mended) == ("processed", 0)
    assert stories.of(first).chapters == [first]
    assert stories.of(first).left == 2
    assert not RowError.objects.filter(mended_by__isnull=False).exists()


def test_part_of_a_snapshot_retires_nothing_and_no_share_refuses_it(chain):
    first, mend = chain
    Dataset.objects.filter(pk=first.dataset_id).update(mode="snapshot", refuse_limit=10, retire_limit=0)

    second = mend("id,amount\na,1\nc,still\n")

    assert (second.state, second.retired) == ("partial", 0)
    assert Record.objects.filter(retired_at=None).count() == 2


def test_story_is_said_in_one_sentence(chain):
    first, mend = chain
    second = mend("id,amount\na,1\n")

    said = sentences.of_story(stories.of(second))

    assert said.title == "1 of 3 rows are stored, 1 mended, 1 left"
    assert said.missing == "One row is still to be mended; nothing else is missing."
    Upload.objects.filter(pk=second.pk).update(finished_at=None, due_at="2026-01-01T00:00Z", state="accepted")
    under_way = sentences.of_story(stories.of(first))
    assert under_way.missing == "stations.csv is under way, and counts with its verdict."


def test_invariants_see_what_a_story_must_never_be(chain):
    _, mend = chain
    second = mend("id,amount\na,1\n")
    assert breaches() == {}

    Upload.objects.filter(pk=second.pk).update(mended=5)
    assert list(breaches()) == ["upload_mended_rows"]
    Upload.objects.filter(pk=second.pk).update(mended=1)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ingestion_upload SET story_id = NULL WHERE id = %s", [second.pk])
    assert set(breaches()) == {"upload_menders", "upload_stories"}


def test_api_tells_the_story(api, send, stations):
    upload = send(b"id,amount\na,x\nb,2\n").json()["id"]
    first = work_on(Upload.objects.get(pk=upload))
    sent = send(b"id,amount\na,1\n", mends=str(first.pk))
    assert sent.status_code == 202, sent.content
    second = work_on(Upload.objects.get(pk=sent.json()["id"]))

    body = api("get", f"/uploads/{second.pk}").json()

    assert body["mends"] == str(first.pk)
    story = body["story"]
    assert [chapter["upload"] for chapter in story.pop("chapters")] == [str(first.pk), str(second.pk)]
    assert story == {"root": str(first.pk), "rows": 2, "stored": 1, "mended": 1, "left_out": 0, "left": 0}
