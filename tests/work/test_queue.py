import os

import pytest

from work.cluster import PatientQueue


@pytest.fixture
def queue():
    made = PatientQueue(1)
    yield made
    made.close()
    made.join_thread()
    for lock in (made._rlock, made._wlock):
        os.close(lock._descriptor)


def test_a_closed_queue_can_be_counted(queue):
    """django-q2's sentinel asks for the size once more after it has closed the queue."""
    queue.close()

    assert queue.qsize() == 0
    assert queue.empty()


def test_a_task_goes_through(queue):
    queue.put({"func": "work.tasks.pump"})

    assert queue.get() == {"func": "work.tasks.pump"}
