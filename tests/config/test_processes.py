import subprocess
import sys

import psutil
import pytest

from config import processes


@pytest.fixture
def sleeper():
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    yield process
    process.kill()
    process.wait()


def test_process_is_known_by_number_and_time(sleeper):
    started = psutil.Process(sleeper.pid).create_time()

    assert processes.known(sleeper.pid, started=started).pid == sleeper.pid


def test_number_that_went_to_another_process_is_left_alone(sleeper):
    started = psutil.Process(sleeper.pid).create_time() - 3600

    assert processes.known(sleeper.pid, started=started) is None
    assert processes.descended_from(sleeper.pid, started=started) == []


def test_survivors_of_a_session_are_found_when_its_leader_is_gone():
    leader = subprocess.Popen(["sh", "-c", "sleep 600 & exit 0"], start_new_session=True)
    started = psutil.Process(leader.pid).create_time()
    leader.wait()

    left = processes.descended_from(leader.pid, started=started)

    assert len(left) == 1
    left[0].kill()
