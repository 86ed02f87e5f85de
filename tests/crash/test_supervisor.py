"""`manage.py up` under kills, as a person would run it: real processes, its own database, no demo."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import psycopg
import pytest
from django.conf import settings

from config import postgres_place, processes
from config.embedded import Server, address

PATIENCE = 120  # for a machine that does much else; nothing waits that long on an idle one


class Waybill:
    def __init__(self, var):
        self.var = var
        self.port = _free_port()
        self.output = (var / "said").open("w+")
        self.process = None

    def start(self, *arguments, through=(), output=None, **environment):
        inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        own = {"VAR_DIR": str(self.var), "PORT": str(self.port), "DEMO": "true", "HUNG_SECONDS": "10"}
        own |= {"TICK_SECONDS": "1", "CANARY_HUNG_SECONDS": "10"}
        self.process = subprocess.Popen(
            [*through, sys.executable, "manage.py", "up", "--no-demo", *arguments],
            cwd=settings.BASE_DIR,
            env={**inherited, **own, **environment},
            stdout=output or self.output,
            stderr=subprocess.STDOUT,
        )
        assert processes.wait_until(self.answers, seconds=PATIENCE), self.said()
        assert processes.wait_until(lambda: len(self.clusters()) == 2, seconds=PATIENCE), self.said()
        return self

    def answers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def said(self):
        return (self.var / "said").read_text()

    def everyone(self):
        """All of this installation: ours by their environment, the database's by where they work."""
        ours = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("VAR_DIR") == str(self.var):
                    ours.append(process)
        return ours + processes.working_in(postgres_place.choose(self.var).data)

    def part(self, word):
        """The topmost processes whose command line has the word."""
        found = [process for process in self.everyone() if word in " ".join(_command(process))]
        return [process for process in found if process.parent() not in found]

    def web(self):
        return self.part("granian")

    def clusters(self):
        return self.part("qcluster")

    def cluster(self, name):
        """Waits for it: it may just be starting again."""
        found = []

        def is_there():
            with contextlib.suppress(psutil.Error):
                found[:] = [each for each in self.clusters() if each.environ()["Q_CLUSTER_NAME"] == name]
            return len(found) == 1

        assert processes.wait_until(is_there, seconds=PATIENCE), self.said()
        return found[0]

    def is_gone(self):
        return not self.everyone()

    def clear(self):
        for process in self.everyone():
            with contextlib.suppress(psutil.Error):
                process.kill()
        if self.process:
            self.process.wait()
            if self.process.stdout:
                self.process.stdout.close()
        self.output.close()
        Server(self.var).remove()


def _command(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


@pytest.fixture(scope="module")
def running():
    with tempfile.TemporaryDirectory(prefix="waybill-") as folder:
        Path(folder).chmod(0o755)
        waybill = Waybill(Path(folder))
        try:
            yield waybill.start()
        finally:
            waybill.clear()


@pytest.fixture
def fresh():
    with tempfile.TemporaryDirectory(prefix="waybill-") as folder:
        Path(folder).chmod(0o755)
        waybill = Waybill(Path(folder))
        try:
            yield waybill
        finally:
            waybill.clear()


def test_killed_web_server_is_started_again(running):
    [before] = running.web()

    before.kill()

    assert processes.wait_until(
        lambda: "web was killed by SIGKILL. Starting it again" in running.said(), seconds=PATIENCE
    )
    assert processes.wait_until(running.answers, seconds=PATIENCE)
    assert not before.is_running()


def test_cluster_that_exited_with_0_is_started_again(running):
    before = running.cluster("pipelines")

    before.terminate()

    assert processes.wait_until(
        lambda: "exited with 0. Starting it again" in running.said(), seconds=PATIENCE
    )
    assert not before.is_running()
    assert processes.wait_until(lambda: len(running.clusters()) == 2, seconds=PATIENCE)


def test_killed_cluster_takes_its_workers_along(running):
    before = running.cluster("pipelines")
    assert processes.wait_until(lambda: len(before.children(recursive=True)) > 3, seconds=PATIENCE)
    below = before.children(recursive=True)

    before.kill()

    assert processes.wait_until(lambda: not any(process.is_running() for process in below), seconds=10)
    assert processes.wait_until(lambda: len(running.clusters()) == 2, seconds=PATIENCE)


def test_killed_database_is_started_again_and_everything_answers(running):
    server = int((postgres_place.choose(running.var).data / "postmaster.pid").read_text().split()[0])

    os.kill(server, signal.SIGKILL)

    def database_answers():
        try:
            psycopg.connect(address(running.var), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    assert processes.wait_until(lambda: "PostgreSQL ended" in running.said(), seconds=PATIENCE)
    assert processes.wait_until(database_answers, seconds=PATIENCE)
    assert processes.wait_until(lambda: running.answers() and len(running.clusters()) == 2, seconds=PATIENCE)


def test_web_server_that_hangs_is_ended_and_started_again(running):
    [before] = running.web()
    stopped = [before, *before.children(recursive=True)]

    processes.send(signal.SIGSTOP, stopped)

    assert processes.wait_until(lambda: "web hangs. Ending it." in running.said(), seconds=PATIENCE)
    assert processes.wait_until(running.answers, seconds=PATIENCE)
    assert not any(process.is_running() for process in stopped)


def test_cluster_that_hangs_is_ended_and_started_again(running):
    ground = running.cluster("ground")
    stopped = [ground, *ground.children(recursive=True)]

    processes.send(signal.SIGSTOP, stopped)

    assert processes.wait_until(lambda: not any(each.is_running() for each in stopped), seconds=PATIENCE)
    assert "ground hangs. Ending it." in running.said()
    assert running.cluster("ground") not in stopped


def test_second_start_from_the_same_folder_is_refused_and_names_the_first(running):
    second = subprocess.run(
        [sys.executable, "manage.py", "up", "--no-demo"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "VAR_DIR": str(running.var)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert second.returncode == 1
    assert f"runs from this folder already: http://127.0.0.1:{running.port}" in second.stderr
    assert running.answers()


def test_interrupt_stops_everything(fresh):
    fresh.start()

    fresh.process.send_signal(signal.SIGINT)

    assert fresh.process.wait(PATIENCE) == 0
    assert processes.wait_until(fresh.is_gone, seconds=5), fresh.everyone()


def test_killed_supervisor_leaves_nothing_and_the_next_start_answers(fresh):
    fresh.start()

    fresh.process.kill()
    fresh.process.wait()

    assert processes.wait_until(fresh.is_gone, seconds=20), fresh.everyone()
    fresh.start()


def test_supervisor_goes_in_order_with_the_make_and_the_terminal_that_started_it(fresh):
    fresh.start("--with-parent", through=["sh", "-c", '"$@" & wait', "sh"], output=subprocess.PIPE)

    fresh.process.stdout.close()
    fresh.process.kill()
    fresh.process.wait()

    assert processes.wait_until(fresh.is_gone, seconds=PATIENCE), fresh.everyone()
    assert (fresh.var / "processes.json").read_text() == "[]"


def test_interrupt_while_starting_stops_everything(fresh):
    fresh.process = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--no-demo"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "VAR_DIR": str(fresh.var), "DATABASE_URL": ""},
        stdout=fresh.output,
        stderr=subprocess.STDOUT,
    )
    assert processes.wait_until((fresh.var / "lock").exists, seconds=PATIENCE)
    data = fresh.var / "postgres"
    assert processes.wait_until(data.exists, seconds=PATIENCE)

    fresh.process.send_signal(signal.SIGTERM)

    assert fresh.process.wait(PATIENCE) == 0, fresh.said()
    assert processes.wait_until(fresh.is_gone, seconds=5), fresh.everyone()
