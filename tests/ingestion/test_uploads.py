"""Accepting and withdrawing: limits, kinds, idempotency, and what a killed accept leaves."""

import io
import threading

import pytest
from django.db import connection, transaction

from ingestion import locks, merging, staging, uploads
from ingestion.models import Dataset, Upload
from ingestion.states import ACTIVE, TERMINAL, UPLOAD_MOVES, UploadState
from tests.factories import UploadFactory
from work.failures import StateChanged
from work.models import Event
from work.problems import Problem

CONTENT = b"id,amount\na,1\n"


class Pieces:
    """A stream that gives a few bytes at a time, and remembers how much was asked for at once."""

    def __init__(self, content, piece=7):
        self.stream, self.piece, self.asked = io.BytesIO(content), piece, []

    def read(self, size):
        self.asked.append(size)
        return self.stream.read(min(size, self.piece))


@pytest.mark.django_db
def test_file_that_storage_does_not_take_is_not_accepted(accept, kept_files):
    kept_files.write_text("a file where the folder should be")

    with pytest.raises(Problem) as refused:
        accept(b"id\n1\n")

    assert (refused.value.status, refused.value.code) == (503, "storage_unavailable")
    assert not Upload.objects.exists()


def test_stream_in_pieces_is_kept_whole(dataset, by, kept_files):
    pieces = Pieces(CONTENT)

    upload = uploads.accept(dataset=dataset, stream=pieces, filename="a.csv", by=by).upload

    assert (kept_files / upload.storage_key).read_bytes() == CONTENT
    assert max(pieces.asked) <= 1 << 20


@pytest.mark.django_db
def test_accepted_upload_is_due_and_told(accept, by, dataset):
    upload = accept(CONTENT)

    assert (upload.state, upload.sequence, upload.due_at is not None) == (UploadState.ACCEPTED, 1, True)
    assert Dataset.objects.get(pk=dataset.pk).next_sequence == 2
    assert (upload.uploaded_by, upload.uploaded_by_label) == (by.user, "Ada Byron")
    event = Event.objects.get(type="upload.accepted")
    assert (event.subject_id, event.payload["owner"]) == (str(upload.pk), by.user.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("C:\\Users\\ada\\stations.csv", "stations.csv"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\nc.csv", "abc.csv"),
        ("", "unnamed"),
        ("..", "unnamed"),
        ("x" * 300 + ".csv", "x" * 251 + ".csv"),
        ("Größe №1.xlsx", "Größe №1.xlsx"),
    ],
)
def test_file_name_is_kept_without_what_no_name_should_hold(accept, sent, kept):
    assert accept(CONTENT, filename=sent).filename == kept


@pytest.mark.django_db
def test_limit_on_uploads_in_progress(accept, dataset):
    dataset.organisation.uploads_in_progress_limit = 1
    dataset.organisation.save()
    first = accept(CONTENT, key="k")

    with pytest.raises(Problem) as refused:
        accept(b"id\nb\n")

    assert (refused.value.status, refused.value.code) == (429, "too_many_in_progress")
    assert accept(CONTENT, key="k") == first


@pytest.mark.django_db
def test_limit_on_storage_counts_the_same_bytes_once(accept, dataset):
    dataset.organisation.storage_limit_bytes = len(CONTENT) + 10
    dataset.organisation.save()
    accept(CONTENT)
    accept(CONTENT)
    Upload.objects.update(size=len(CONTENT) + 11)

    with pytest.raises(Problem) as refused:
        accept(b"id\nb\n")

    assert (refused.value.status, refused.value.code) == (409, "storage_limit_reached")


@pytest.mark.django_db
def test_stream_past_the_limit_is_refused_though_no_size_was_told(accept, settings):
    settings.MAX_UPLOAD_BYTES = 20

    with pytest.raises(Problem) as refused:
        accept(CONTENT + b"b,2\n" * 10)

    assert (refused.value.status, refused.value.code) == (413, "file_too_large")
    assert not Upload.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_double_click_makes_one_upload(dataset, by):
    barrier, given = threading.Barrier(6), []

    def click():
        barrier.wait()
        try:
            given.append(
                uploads.accept(
                    dataset=dataset, stream=io.BytesIO(CONTENT), filename="a.csv", by=by, idempotency_key="k"
                )
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({accepted.upload.pk for accepted in given}) == 1
    assert sorted(accepted.already_accepted for accepted in given) == [False, True, True, True, True, True]
    assert Upload.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_uploads_of_one_dataset_get_sequences_without_gap_or_repeat(dataset, by):
    def send(number):
        try:
            uploads.accept(dataset=dataset, stream=io.BytesIO(b"id\n%d\n" % number), filename="a.csv", by=by)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(Upload.objects.values_list("sequence", flat=True)) == list(range(1, 9))


@pytest.mark.django_db(transaction=True)
def test_accepting_goes_on_while_records_are_merged(accept, process, dataset):
    process(CONTENT)
    held, accepted = threading.Event(), threading.Event()

    def merge():
        with transaction.atomic():
            locks.hold_records(dataset.pk)
            staging.begin()
            staging.add(['2\t["b"]\t1\t{"id":"b"}\t\\x00\t\t\tf'])
            merging.merge(dataset_id=dataset.pk, upload_id=Upload.objects.get().pk)
            held.set()
            accepted.wait(20)
        connection.close()

    merging_thread = threading.Thread(target=merge)
    merging_thread.start()
    held.wait(20)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '5s'")
    upload = accept(b"id,amount\nc,1\n")
    accepted.set()
    merging_thread.join()

    assert upload.sequence == 2


@pytest.mark.django_db
@pytest.mark.parametrize("state", ACTIVE)
def test_unfinished_upload_can_be_withdrawn(dataset, by, state):
    upload = UploadFactory(dataset=dataset, state=state, running=state == UploadState.PROCESSING)

    uploads.withdraw(upload=upload, by=by, why="wrong file")

    upload.refresh_from_db()
    assert (upload.state, upload.cancel_reason, upload.cancelled_by_label) == (
        "cancelled",
        "wrong file",
        "Ada Byron",
    )
    assert (upload.lease_token, upload.due_at, upload.finished_at is not None) == (None, None, True)


@pytest.mark.django_db(transaction=True)
def test_finished_upload_cannot_be_withdrawn(process, by):
    upload = process(CONTENT)

    with pytest.raises(StateChanged):
        uploads.withdraw(upload=upload, by=by)

    assert Upload.objects.get().state == UploadState.PROCESSED


def test_moves_name_every_state_and_end_in_terminal_ones():
    assert set(UPLOAD_MOVES) == set(UploadState)
    assert {state for state, moves in UPLOAD_MOVES.items() if not moves} == set(TERMINAL)


def test_other_bytes_under_a_known_key_are_not_kept(accept, kept_files):
    """Else one key would fill the storage: no upload counts them against the limit."""
    accept("id,amount\na,1\n", key="nightly")
    before = sorted(path for path in kept_files.rglob("*") if path.is_file())

    with pytest.raises(Problem) as refused:
        accept("id,amount\nb,2\n", key="nightly")

    assert refused.value.code == "idempotency_key_reused"
    assert sorted(path for path in kept_files.rglob("*") if path.is_file()) == before
