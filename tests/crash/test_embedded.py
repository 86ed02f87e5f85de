"""The embedded PostgreSQL under kills: nothing committed is lost, nothing blocks the next start."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from config import postgres_place, processes
from config.embedded import Server, address


@pytest.fixture
def folder():
    """Not tmp_path: pytest's folders are closed to the user that the server runs as under root."""
    with tempfile.TemporaryDirectory(prefix="waybill-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture
def server(folder):
    server = Server(folder, max_connections=20)
    yield server
    server.stop("immediate")
    server.remove()


def ask(server, statement):
    with psycopg.connect(server.address, autocommit=True) as connection:
        answer = connection.execute(statement)
        return answer.fetchone()[0] if answer.description else None


def test_killed_server_starts_again_with_what_was_committed(server):
    server.start()
    ask(server, "CREATE TABLE kept AS SELECT 7 AS number")
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()

    server.start()

    assert ask(server, "SELECT number FROM kept") == 7


def test_number_of_dead_server_given_to_another_process_blocks_nothing(server):
    server.start()
    lock = postgres_place.choose(server.folder).data / "postmaster.pid"
    lines = lock.read_text().splitlines()
    server.stop()
    lock.write_text("\n".join([str(os.getppid()), *lines[1:]]))

    server.start()

    assert ask(server, "SELECT 1") == 1


def test_server_ends_with_the_process_that_started_it(server):
    code = (
        "import sys, time; from pathlib import Path; from config.embedded import Server; "
        "Server(Path(sys.argv[1])).start(); print('started', flush=True); time.sleep(600)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code, server.folder], stdout=subprocess.PIPE)
    starter.stdout.readline()
    data = postgres_place.choose(server.folder).data
    assert processes.working_in(data)

    starter.kill()
    starter.wait()
    starter.stdout.close()

    assert processes.wait_until(lambda: not processes.working_in(data), seconds=20)


def test_sessions_left_by_a_killed_server_are_ended_before_the_next_start(server):
    server.start()
    data = postgres_place.choose(server.folder).data
    session = psycopg.connect(server.address, autocommit=True)
    backend = session.info.backend_pid
    os.kill(backend, signal.SIGSTOP)  # it cannot notice that its server is gone
    server.process.kill()
    server.process.wait()

    server.start()

    assert backend not in {process.pid for process in processes.working_in(data)}
    assert ask(server, "SELECT 1") == 1
    session.close()


def test_passwords_are_scram_and_only_the_owner_reads_the_address(server):
    server.start()

    assert ask(server, "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'waybill'")
    assert (server.folder / "database-address").stat().st_mode & 0o777 == 0o600
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.address, password="wrong")


@pytest.mark.parametrize("name", ["closed", "closed" + "-and-long" * 12])
def test_folder_closed_to_others_or_too_long_for_a_socket_works(folder, name):
    """Under root the server's user cannot enter it; a socket's path is short by the system's rule."""
    closed = folder / name
    closed.mkdir(mode=0o700)
    server = Server(closed, max_connections=20)
    try:
        server.start()

        assert ask(server, "SELECT 1") == 1
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        server.stop("immediate")
        place = postgres_place.choose(closed)
        server.remove()
    assert not place.home.exists()
    assert not place.socket_folder.exists()


def test_binaries_the_server_user_cannot_read_are_copied(folder, monkeypatch):
    monkeypatch.setattr(postgres_place, "_may_read", lambda path, **who: "pginstall" not in str(path))
    server = Server(folder, max_connections=20)
    try:
        server.start()

        assert Path(server.process.args[0]).is_relative_to(folder)
    finally:
        server.stop("immediate")
        server.remove()


def test_address_is_known_before_the_first_start(folder):
    assert address(folder) == f"dbname=waybill user=waybill host='{folder}/postgres/run'"


def test_command_runs_beside_a_throwaway_server_and_passes_on_its_exit_code():
    code = "import os, psycopg, sys; psycopg.connect(os.environ['DATABASE_URL']); sys.exit(5)"

    done = subprocess.run(
        [sys.executable, "-m", "config.embedded", "run", "--", sys.executable, "-c", code], check=False
    )

    assert done.returncode == 5
