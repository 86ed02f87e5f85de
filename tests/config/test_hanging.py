"""A part is restarted when it hangs, and never when it is merely busy."""

import socket
import subprocess
import sys
from datetime import timedelta

import psutil
import pytest
from django.utils import timezone

from config import processes
from config.hanging import ClusterWatch, WebWatch
from work.models import Canary

IDLE = "import time; time.sleep(600)"
BUSY = "while True: pass"


@pytest.fixture
def silent_port():
    """Takes connections and never answers, as a server does whose threads are all busy or stuck."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def child():
    started = []

    def start(code):
        started.append(subprocess.Popen([sys.executable, "-S", "-c", code]))
        return psutil.Process(started[-1].pid)

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_web_that_neither_answers_nor_works_hangs_after_its_time(silent_port, child):
    watch = WebWatch(host="127.0.0.1", port=silent_port, after_seconds=0)
    process = child(IDLE)

    assert watch(process) is False
    assert watch(process) is True


def test_web_that_does_not_answer_but_works_is_busy(silent_port, child):
    watch = WebWatch(host="127.0.0.1", port=silent_port, after_seconds=0)
    process = child(BUSY)
    watch(process)
    at_first = process.cpu_times().user
    processes.wait_until(lambda: process.cpu_times().user > at_first + 0.6, seconds=30)

    assert watch(process) is False


def test_web_that_answers_does_not_hang(live_server, child):
    watch = WebWatch(host=live_server.thread.host, port=live_server.thread.port, after_seconds=0)
    process = child(IDLE)

    assert [watch(process), watch(process)] == [False, False]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("passed_before", "sent"), [(180, True), (30, False)])
def test_quiet_cluster_gets_a_canary_of_the_watch(passed_before, sent):
    Canary.objects.create(cluster="ground", passed_at=timezone.now() - timedelta(seconds=passed_before))

    assert ClusterWatch("ground")(psutil.Process()) is False
    assert (Canary.objects.get().waiting_since is not None) is sent


@pytest.mark.django_db(transaction=True)
def test_cluster_without_any_sign_yet_does_not_hang():
    assert ClusterWatch("ground")(psutil.Process()) is False
