import pytest

from ingestion.pipeline import PIPELINE
from ingestion.reading_upload import opened
from work import leases
from work.failures import PermanentFailure, TemporaryFailure
from work.jobs import Job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def killed(accept):
    """The failure of a run whose reader somebody kills, at the given start."""

    def killed(starts):
        accept("id,amount\n" + "".join(f"{number},1\n" for number in range(500_000)))
        job = Job(leases.claim_next(PIPELINE))
        job.row.starts = starts
        with pytest.raises((TemporaryFailure, PermanentFailure)) as failure:
            _read_and_kill(job)
        return failure.value

    return killed


def _read_and_kill(job):
    with opened(job, job.row, job.row.organisation) as reader:
        assert reader.header
        reader.process.kill()
        list(reader)


def test_reader_that_is_killed_once_reads_again(killed):
    failure = killed(starts=1)

    assert (failure.code, failure.retryable) == ("reader_killed", True)


def test_file_whose_reader_is_killed_each_time_is_too_much(killed):
    failure = killed(starts=3)

    assert (failure.code, failure.retryable) == ("file_exceeds_limits", False)
