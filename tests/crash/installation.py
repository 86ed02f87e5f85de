"""A whole installation under the tests: a PostgreSQL of its own and both clusters, kept running as the
supervisor keeps them. Killing is what the tests do to it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
from django.conf import settings
from django.db import connection, connections

from config import processes
from config.database import database_settings
from config.embedded import Server
from work import health
from work.storage import files

ROOT = Path(__file__).resolve().parents[2]
CLUSTERS = ("ground", "pipelines")
JUDGED_AFTER = 15.0  # seconds; what starts knows nothing yet of the canary before it
SEEN_IN_LOG = {
    "sentinel": r"guarding cluster",
    "worker": r"ready for work at (\d+)",
    "monitor": r"monitoring at (\d+)",
    "pusher": r"pushing tasks at (\d+)",
}
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.crash.settings",
    "LEASE_SECONDS": "2",
    "TICK_SECONDS": "1",
    "RECOVERY_SECONDS": "1",
    "SWEEP_SECONDS": "1",
    "CANARY_HUNG_SECONDS": "10",
    "PIPELINE_WORKERS": "3",
    "WAYBILL_KILL": "ask",
    "OUTBOUND_ALLOW": "127.0.0.1",
    "PYTHONUNBUFFERED": "1",
}


class Cluster:
    """One `manage.py qcluster` and everything below it."""

    def __init__(self, name: str, environment: dict[str, str], folder: Path) -> None:
        self.name = name
        self.environment = {**environment, "Q_CLUSTER_NAME": name}
        self.log = folder / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.started = 0.0

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "qcluster"], cwd=ROOT, env=self.environment, stdout=output,
                stderr=output, stdin=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=processes.die_with_parent(signal.SIGKILL, parent=os.getpid()),
            )  # fmt: skip
        self.starts += 1
        self.started = time.monotonic()

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def everything(self) -> list[psutil.Process]:
        if self.process is None:
            return []
        with suppress(psutil.Error):
            return [*psutil.Process(self.process.pid).children(recursive=True)]
        return []

    def find(self, role: str) -> list[psutil.Process]:
        """Living processes of a role: parent, sentinel, worker, monitor or pusher."""
        if self.process is None:
            return []
        if role == "parent":
            return [psutil.Process(self.process.pid)]
        below = {process.pid: process for process in self.everything()}
        if role == "sentinel":
            return [process for process in below.values() if process.ppid() == self.process.pid]
        pids = {int(pid) for pid in re.findall(SEEN_IN_LOG[role], self.log.read_text(errors="replace"))}
        return [process for pid, process in below.items() if pid in pids]

    def has(self, role: str, count: int = 1) -> bool:
        return len(self.find(role)) >= count

    def kill(self) -> None:
        if self.process is not None:
            processes.send(signal.SIGKILL, [*self.everything()])
            self.process.kill()
            self.process.wait()

    def stop(self, seconds: float = 20) -> float:
        """SIGTERM to the parent, as the supervisor does; how long it took."""
        begun = time.monotonic()
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(seconds)
        return time.monotonic() - begun


class Installation:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = Server(folder / "database", throwaway=True, max_connections=100)
        self.kills = folder / "kills"
        self.kills.mkdir()
        self.clusters: dict[str, Cluster] = {}
        self.hung = 0
        self.passed: dict[str, str] = {}
        self.usual_var = Path(settings.VAR_DIR)

    def start(self) -> None:
        self.server.start()
        with psycopg.connect(self.server.address, autocommit=True) as session:
            # Killed at once, the server must have kept what it confirmed.
            session.execute("ALTER ROLE waybill SET synchronous_commit = on")
        # Files of its own: those of a run before this one belong to no row of its database.
        self.keep_files_in(self.folder / "var")
        self.environment = {
            **os.environ, **SETTINGS, "DATABASE_URL": self.server.address, "VAR_DIR": str(settings.VAR_DIR),
            "WAYBILL_KILL_DIR": str(self.kills),
        }  # fmt: skip
        self.manage("migrate", "--verbosity=0")
        self.manage("migrate", "--run-syncdb", "--verbosity=0")  # plain work has no migrations
        connections["default"].close()
        connections.settings["default"].update({"PORT": "", **database_settings(self.server.address)})
        for name in ("LEASE_SECONDS", "CANARY_HUNG_SECONDS"):
            setattr(settings, name, int(SETTINGS[name]))
        self.clusters = {name: Cluster(name, self.environment, self.folder) for name in CLUSTERS}
        for cluster in self.clusters.values():
            cluster.start()

    def keep_files_in(self, var: Path) -> None:
        settings.VAR_DIR, settings.FILES_DIR = var, var / "files"
        files.cache_clear()

    @property
    def ground(self) -> Cluster:
        return self.clusters["ground"]

    @property
    def pipelines(self) -> Cluster:
        return self.clusters["pipelines"]

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=self.environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def keep(self) -> None:
        """Start again who died, end who hangs: what `manage.py up` does."""
        for name, cluster in self.clusters.items():
            if not cluster.is_running():
                cluster.kill()
                cluster.start()
            with suppress(Exception):
                if time.monotonic() - cluster.started > JUDGED_AFTER and health.cluster_is_hung(name):
                    self.hung += 1
                    cluster.kill()

    def wait_until(self, condition, *, seconds: float, what: str, every: float = 0.1) -> float:
        """Keeps the clusters running meanwhile; how long it took. A database that restarts answers later."""
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            self.keep()
            try:
                if condition():
                    return time.monotonic() - begun
            except Exception as away:
                if not is_away(away):
                    raise
                connection.close()
            time.sleep(every)
        raise AssertionError(f"after {seconds} s still not: {what}\n{self.last_words()}")

    def last_words(self) -> str:
        return "\n".join(
            f"--- {cluster.log.name}\n"
            + "\n".join(cluster.log.read_text(errors="replace").splitlines()[-40:])
            for cluster in self.clusters.values()
        )

    def answers(self, question, *, otherwise):
        """What the database says, or `otherwise` while it is away."""
        try:
            return question()
        except Exception as away:
            if not is_away(away):
                raise
            connection.close()
            return otherwise

    def pause(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            self.keep()
            time.sleep(0.05)

    def choose(self, *points: str, how: str = "", number: int = 1) -> None:
        """At each of the points kill the process that passes it for that time from now on, or `stop` it
        there; with none, only count. No row should meet more than two of them: the third death is its end."""
        self.passed = {file.name: file.read_text() for file in self.kills.iterdir()}
        for file in self.kills.iterdir():
            file.unlink()
        if points:
            (self.kills / "kill").write_text("\n".join(f"{point}:{number}:{how}" for point in points))

    def last_passages(self, point: str) -> int:
        """Passages of the point between the last two choices."""
        return int(self.passed.get(point) or 0)

    def passages(self, point: str) -> int:
        with suppress(FileNotFoundError, ValueError):
            return int((self.kills / point).read_text())
        return 0

    def restart_database(self) -> None:
        self.server.stop("immediate")
        self.server.start()
        connection.close()

    def end(self) -> None:
        for cluster in self.clusters.values():
            cluster.kill()
        self.keep_files_in(self.usual_var)
        connections["default"].close()
        self.server.stop("immediate")
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)


def is_away(error: Exception) -> bool:
    from django.db import InterfaceError, OperationalError

    return isinstance(error, (OperationalError, InterfaceError, psycopg.OperationalError))
