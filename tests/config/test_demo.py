"""The demo is real work: every verdict comes out of the pipeline, and a second run makes nothing twice."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Organisation, User
from ingestion.models import Dataset, Upload
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
    verdicts = set(Upload.objects.values_list("state", flat=True))
    assert verdicts == {UploadState.PROCESSED, UploadState.PARTIAL, UploadState.FAILED, UploadState.CANCELLED}
    assert Upload.objects.count() == made
    started = Upload.objects.filter(starts__gt=0)
    assert Attempt.objects.filter(pipeline="upload").count() == started.count() == made - 1
    assert Upload.objects.filter(repeats__isnull=False, unchanged__gt=0, inserted=0).exists()
    assert not [finding for finding in invariants.run(deep=False).findings if finding.count]


def test_demo_is_refused_elsewhere(settings):
    settings.DEMO = False

    with pytest.raises(CommandError, match="not a demo"):
        demo()
