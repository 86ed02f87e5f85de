"""The PostgreSQL that comes with `make run` and `make test`. Only `manage.py up` and the test runner start
and stop it; every other command reads where it is from a file under var/."""

import argparse
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Literal
from urllib.parse import quote

import psutil
import psycopg

from config import postgres_place, processes
from config.postgres_place import Place, PostgresUnavailable

NAME = "waybill"
MAX_CONNECTIONS = 60
STOP_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}
STOP_SECONDS = 20
START_SECONDS = 300  # after a crash the server first replays its log
LARGEST_LOG = 10 * 1024**2


def address(var: Path) -> str:
    """The connection address that the running server left behind; usable before the first start too."""
    try:
        return _note(var).read_text().strip()
    except FileNotFoundError:
        return f"dbname={NAME} user={NAME} host='{var / 'postgres' / 'run'}'"


def _note(folder: Path) -> Path:
    return folder / "database-address"


class Server:
    """One PostgreSQL over one folder. A throw-away server trades durability for speed."""

    def __init__(
        self, folder: Path, *, throwaway: bool = False, max_connections: int = MAX_CONNECTIONS
    ) -> None:
        self.folder = folder
        self.throwaway = throwaway
        self.max_connections = max_connections
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return address(self.folder)

    def start(self) -> None:
        """Ends what an earlier, killed start left behind, then starts and waits until it answers. The server
        stops by itself when this process is gone."""
        place = postgres_place.choose(self.folder)
        _end_leftovers(place)
        if not (place.data / "PG_VERSION").exists():
            self._create(place)
        log = _log_file(self.folder)
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [place.binaries / "bin" / "postgres", "-D", place.data, *self._options(place)],
                cwd=place.data,
                env=_clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                user=place.user,
                group=place.group,
                extra_groups=None if place.user is None else [],
                start_new_session=True,
                preexec_fn=processes.die_with_parent(signal.SIGINT, parent=os.getpid()),
            )
        self._wait_until_it_answers(log)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Fast ends the sessions and writes everything out; immediate leaves it to the next start."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            self.process.send_signal(STOP_SIGNALS[mode])
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGQUIT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self.kill()

    def kill(self) -> None:
        """Ends the server and its sessions on the spot; nothing that was committed is lost."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        _end_leftovers(postgres_place.choose(self.folder))

    def remove(self) -> None:
        """Deletes the stopped server's data for good."""
        place = postgres_place.choose(self.folder)
        for folder in (place.socket_folder, place.home):
            shutil.rmtree(folder, ignore_errors=True)
        _note(self.folder).unlink(missing_ok=True)

    def _create(self, place: Place) -> None:
        password = secrets.token_urlsafe(24)
        half = place.home / "data.part"  # a killed initdb leaves no half database under the real name
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(mode=0o700)
        password_file = place.home / "first-password"
        password_file.touch(mode=0o600)
        password_file.write_text(password)
        if place.user is not None and place.group is not None:
            os.chown(half, place.user, place.group)
            os.chown(password_file, place.user, place.group)
        made = subprocess.run(
            [
                *(place.binaries / "bin" / "initdb", "-D", half, f"--username={NAME}"),
                *("--auth=scram-sha-256", f"--pwfile={password_file}", "--encoding=UTF8"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
                *("--no-instructions", *(["--no-sync"] if self.throwaway else [])),
            ],
            cwd="/",
            env=_clean_environment(),
            capture_output=True,
            user=place.user,
            group=place.group,
            extra_groups=None if place.user is None else [],
            check=False,
        )
        password_file.unlink()
        if made.returncode:
            raise PostgresUnavailable(
                f"A new database could not be made: {made.stderr.decode(errors='replace').strip()}"
            )
        note = _note(self.folder)
        note.touch(mode=0o600)
        note.write_text(
            f"postgresql://{NAME}:{password}@/{NAME}?host={quote(str(place.socket_folder), safe='')}\n"
        )
        half.rename(place.data)

    def _options(self, place: Place) -> list[str]:
        settings = {
            "listen_addresses": "",
            "port": "5432",
            "unix_socket_directories": str(place.socket_folder),
            "unix_socket_permissions": "0700",
            "max_connections": str(self.max_connections),
            "shared_buffers": "128MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
            # A killed client's query is noticed and ended, and with it its locks.
            "client_connection_check_interval": "2s",
        }
        if self.throwaway:
            settings |= {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
        return [f"--{name}={value}" for name, value in settings.items()]

    def _wait_until_it_answers(self, log: Path) -> None:
        def answers() -> bool:
            if not self.is_running():
                raise PostgresUnavailable(f"PostgreSQL did not start. Its last words: {_last_lines(log)}")
            try:
                _make_database_if_missing(self.address)
            except psycopg.OperationalError:
                return False
            return True

        if not processes.wait_until(answers, seconds=START_SECONDS):
            raise PostgresUnavailable(f"PostgreSQL does not answer. Its last words: {_last_lines(log)}")


def _make_database_if_missing(url: str) -> None:
    with psycopg.connect(url, dbname="postgres", autocommit=True, connect_timeout=5) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone()
        if not known:
            connection.execute(f"CREATE DATABASE {NAME}")


def _end_leftovers(place: Place) -> None:
    """PostgreSQL takes a lock file whose number meanwhile belongs to another process for a running server,
    and a dead server's sessions for its own. Whoever works in our data folder now is such a leftover."""
    lock = place.data / "postmaster.pid"
    left = processes.working_in(place.data)
    if left:
        first = int(lock.read_text().split()[0]) if lock.exists() else 0
        processes.send(signal.SIGINT, [server for server in left if server.pid == first])
        orderly = any(server.pid == first for server in left)
        if not (orderly and processes.wait_until(lambda: not any(map(_is_alive, left)), seconds=5)):
            processes.send(signal.SIGKILL, processes.working_in(place.data))
            processes.wait_until(lambda: not any(map(_is_alive, left)), seconds=10)
    lock.unlink(missing_ok=True)
    for name in (postgres_place.SOCKET_NAME, f"{postgres_place.SOCKET_NAME}.lock"):
        (place.socket_folder / name).unlink(missing_ok=True)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _clean_environment() -> dict[str, str]:
    """Nothing of ours: PGPORT and its like would change what the server does."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _log_file(folder: Path) -> Path:
    log = folder / "log" / "postgres.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return log


def _last_lines(log: Path) -> str:
    return " / ".join(log.read_text(errors="replace").splitlines()[-5:])


def run_with_throwaway(command: list[str]) -> int:
    """Runs the command with DATABASE_URL naming a server of its own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="waybill-"))
    folder.chmod(0o755)  # the server's user must get through
    server = Server(folder, throwaway=True, max_connections=100)
    try:
        server.start()
        child = subprocess.Popen(
            command,
            env={**os.environ, "DATABASE_URL": server.address},
            preexec_fn=processes.die_with_parent(signal.SIGTERM, parent=os.getpid()),
        )

        def pass_on(number: int, frame: FrameType | None) -> None:
            child.send_signal(number)

        signal.signal(signal.SIGTERM, pass_on)
        signal.signal(signal.SIGINT, lambda number, frame: None)  # the terminal tells the child itself
        return child.wait()
    finally:
        server.stop("immediate")
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run", help="run a command with a throw-away PostgreSQL as its DATABASE_URL")
    run.add_argument("command", nargs=argparse.REMAINDER)
    actions.add_parser("remove", help="delete the database of `make run` for good; Waybill must be stopped")
    arguments = parser.parse_args()
    if arguments.action == "remove":
        Server(Path(os.environ.get("VAR_DIR", "var")).absolute()).remove()
        return 0
    command = arguments.command
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        parser.error("name the command to run, after --")
    return run_with_throwaway(command)


if __name__ == "__main__":
    sys.exit(main())
