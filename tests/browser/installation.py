"""A whole installation, in a database of its own beside the tests': `manage.py up` as people start it, with
web server and both clusters. Whoever comes in comes by the sign-in page."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

import psycopg
from django.conf import settings
from psycopg.conninfo import make_conninfo

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
PEOPLE = "from config.demo import people, schemas; schemas.make(people.make())"
STARTS_WITHIN, STOPS_WITHIN = 90.0, 30.0


class Installation:
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="waybill-journey-"))
        self.name = f"waybill_journey_{os.getpid()}"
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ, "DATABASE_URL": _address(self.name), "VAR_DIR": str(self.folder), "DEMO": "true",
            "DJANGO_SETTINGS_MODULE": "config.settings", "PORT": str(self.port), "PIPELINE_WORKERS": "2",
        }  # fmt: skip
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        template = settings.DATABASES["default"]["TEST"].get("TEMPLATE") or "template1"
        _on_the_server(f'CREATE DATABASE "{self.name}" TEMPLATE "{template}"')
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--no-demo", "--with-parent"], cwd=ROOT,
                env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip
        self._wait_until_it_answers()
        made = [sys.executable, "manage.py", "shell", "--verbosity=0", "--command", PEOPLE]
        subprocess.run(made, cwd=ROOT, env=self.environment, check=True)

    @property
    def log(self) -> Path:
        return self.folder / "up.log"

    def _wait_until_it_answers(self) -> None:
        ends = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < ends:
            if self._answers():
                return
            time.sleep(0.2)
        raise AssertionError(f"no answer within {STARTS_WITHIN} s:\n{self.log.read_text()[-3000:]}")

    def _answers(self) -> bool:
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        with suppress(OSError, http.client.HTTPException), closing(asked):
            asked.request("GET", "/readyz")
            return asked.getresponse().status == 200
        return False

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        _on_the_server(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _address(name: str) -> str:
    given = settings.DATABASES["default"]
    words = {word: str(given[setting]) for word, setting in WORDS.items() if given.get(setting)}
    return make_conninfo(dbname=name, **words)


def _on_the_server(statement: str) -> None:
    with psycopg.connect(_address("postgres"), autocommit=True) as session:
        session.execute(statement)
