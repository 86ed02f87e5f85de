"""The demo is real work: every verdict comes out of the pipeline, and a second run makes nothing twice."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Organisation, User
from config.demo.plan import FRANCE
from ingestion import stories
from ingestion.models import Dataset, HeaderAlias, SchemaDraft, Upload
from ingestion.states import UploadState
from work import invariants, storage
from work.models import Attempt


def demo():
    out = StringIO()
    call_command("demo", stdout=out, skip_checks=True)
    return out.getvalue()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_demo_has_every_verdict_and_is_made_once(settings, tmp_path):
    settings.FILES_DIR, settings.VAR_DIR = tmp_path / "files", tmp_path
    storage.files.cache_clear()

    said = demo()
    made = Upload.objects.count()
    demo()
    storage.files.cache_clear()

    assert "operator, operator2, manager, uploader" in said
    assert (Organisation.objects.count(), User.objects.count()) == (2, 5)
    assert Dataset.objects.count() >= 5
    states = set(Upload.objects.values_list("state", flat=True))
    assert states == {
        UploadState.PROCESSED, UploadState.PARTIAL, UploadState.FAILED, UploadState.CANCELLED,
        UploadState.NEEDS_ANSWER,
    }  # fmt: skip
    assert Upload.objects.count() == made
    starts = sum(Upload.objects.values_list("starts", flat=True))
    answered = Upload.objects.exclude(answered_by_label="").count()
    assert Attempt.objects.filter(pipeline="upload").count() == starts == made - 1 + answered
    assert answered == 1
    assert Upload.objects.filter(repeats__isnull=False, unchanged__gt=0, inserted=0).exists()
    assert set(Upload.objects.values_list("kind", flat=True)) >= {"csv", "xlsx", "xls", "ods"}
    asked = Upload.objects.filter(state=UploadState.NEEDS_ANSWER).values_list("question", flat=True)
    assert set(asked) == {"confirm_retirement", "which_columns"}
    story = stories.of(Upload.objects.get(filename=FRANCE))
    assert (story.stored, story.mended, story.left, len(story.chapters)) == (449, 7, 6, 3)
    again = Upload.objects.get(reprocesses__isnull=False)
    assert again.refused == 0 < again.reprocesses.refused
    assert Upload.objects.filter(dry_run=True).exists()
    assert HeaderAlias.objects.exists()
    assert SchemaDraft.objects.count() == 2
    assert not [finding for finding in invariants.run(deep=False).findings if finding.count]


def test_demo_is_refused_elsewhere(settings):
    settings.DEMO = False

    with pytest.raises(CommandError, match="not a demo"):
        demo()
