"""Runs the whole of Waybill on this machine: database, triple store, web server, both clusters of workers."""

import os
import socket
import sys
from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from config import connections as connection_budget
from config import processes, triple_store
from config.children import Part
from config.database import database_settings
from config.embedded import MAX_CONNECTIONS, Server
from config.environment import env_int, env_str
from config.hanging import ClusterWatch, WebWatch
from config.instance import AlreadyRunning, Instance
from config.opening import Opening
from config.postgres_place import PostgresUnavailable
from config.supervisor import HUNG_SECONDS, StopAsked, Supervisor

FIRST_PORT = 8000
PORTS_TRIED = 100
WEB_FIRST_SECONDS = 5


class Command(BaseCommand):
    help = (
        "Start the database (unless DATABASE_URL is set), the web server and the workers; Ctrl-C stops all."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="do not fill a new database with the demo")
        parser.add_argument(
            "--with-parent", action="store_true", help="stop when the process that started this one is gone"
        )

    def handle(self, *args: Any, no_demo: bool, with_parent: bool, **options: Any) -> None:
        settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
        instance = Instance(settings.VAR_DIR)
        try:
            instance.take()
        except AlreadyRunning as problem:
            raise CommandError(str(problem)) from None
        instance.say()
        self.tell(f"Starting. Logs are in {settings.VAR_DIR / 'log'}")
        host = env_str("HOST", default="127.0.0.1")
        port = _free_port(host)
        hung_seconds = env_int("HUNG_SECONDS", default=HUNG_SECONDS, least=1)
        web = WebWatch(host=host, port=port, after_seconds=hung_seconds)
        supervisor = Supervisor(
            [
                *_store(port=port, hung_seconds=hung_seconds),
                _part("web", *_web_command(host, port), is_hung=web, port=port),
                _cluster("ground", port=port),
                _cluster("pipelines", port=port),
            ],
            instance=instance,
            database=None if settings.DATABASE_URL else Server(settings.VAR_DIR, max_connections=_room()),
            tell=self.tell,
            with_parent=with_parent,
            hung_seconds=hung_seconds,
        )
        filling = settings.DEMO and not no_demo and "demo" in get_commands()
        opening = Opening(
            supervisor=supervisor,
            web_answers=lambda: web.answers(seconds=0.5),
            address=f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}",  # noqa: S104 - compared only
            demo=_part("demo", sys.executable, "manage.py", "demo", port=port) if filling else None,
            var=settings.VAR_DIR,
        )
        supervisor.listen()
        try:
            supervisor.interruptibly(lambda: self.start_database(supervisor))
            supervisor.start("web")  # it takes as long to import as the migrations take to check
            supervisor.interruptibly(self.prepare_database)
            # People wait for the pages; the workers' start would make that longer on a small machine.
            supervisor.interruptibly(lambda: _wait_for(web))
            supervisor.start()
            supervisor.run(every_look=opening.look)
        except StopAsked:
            pass
        except (PostgresUnavailable, connection_budget.TooFewConnections) as problem:
            raise CommandError(str(problem)) from None
        finally:
            self.tell("Stopping.")
            connections.close_all()
            supervisor.stop()

    def start_database(self, supervisor: Supervisor) -> None:
        for name in supervisor.instance.end_leftovers():
            self.tell(f"Ended {name}, left behind by a killed start.")
        if supervisor.database is not None:
            supervisor.database.start()
            # The settings were read before the server was first made.
            connections.settings["default"].update(database_settings(supervisor.database.address))

    def prepare_database(self) -> None:
        migrations = MigrationExecutor(connection)
        if migrations.migration_plan(migrations.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
        with connection.cursor() as cursor:
            cursor.execute("SHOW max_connections")
            connection_budget.check(_budget(), max_connections=int(cursor.fetchone()[0]))

    def tell(self, sentence: str) -> None:
        """To a terminal that may be gone, which must not keep us from stopping what we started."""
        with suppress(OSError):
            self.stdout.write(sentence)
            self.stdout.flush()


def _web_command(host: str, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port)),
        *("--workers", "1", "--blocking-threads", str(connection_budget.WEB_THREADS), "--backlog", "1024"),
        *("--no-ws", "--workers-kill-timeout", "10", "config.wsgi:application"),
    ]


def _wait_for(web: WebWatch) -> None:
    processes.wait_until(lambda: web.answers(seconds=0.5), seconds=WEB_FIRST_SECONDS)


def _store(*, port: int, hung_seconds: float) -> list[Part]:
    """None where the settings name another."""
    if settings.TRIPLESTORE_URL:
        return []
    store_port = triple_store.choose_port(settings.VAR_DIR)
    command = triple_store.command(settings.VAR_DIR / "triplestore", port=store_port)
    watch = WebWatch(host=triple_store.HOST, port=store_port, after_seconds=hung_seconds)
    return [_part("triplestore", *command, port=port, is_hung=watch)]


def _cluster(name: str, *, port: int) -> Part:
    return _part(
        name,
        sys.executable,
        "manage.py",
        "qcluster",
        port=port,
        Q_CLUSTER_NAME=name,
        is_hung=ClusterWatch(name),
    )


def _part(name: str, *command: str, port: int, is_hung: Any = None, **environment: str) -> Part:
    return Part(
        name=name,
        command=list(command),
        environment={**os.environ, "PORT": str(port), "SUPERVISED": "true", **environment},
        log=settings.VAR_DIR / "log" / f"{name}.log",
        **({"is_hung": is_hung} if is_hung else {}),
    )


def _budget() -> list[connection_budget.Row]:
    return connection_budget.budget(
        ground_workers=settings.Q_CLUSTER["workers"], pipeline_workers=settings.PIPELINE_WORKERS
    )


def _room() -> int:
    return max(MAX_CONNECTIONS, connection_budget.needed(_budget()))


def _free_port(host: str) -> int:
    wanted = env_int("PORT", default=0, least=0)
    tried = [wanted] if wanted else range(FIRST_PORT, FIRST_PORT + PORTS_TRIED)
    for port in tried:
        with socket.socket() as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind((host, port))
            except OSError:
                continue
            return port
    taken = f"Port {wanted} is" if wanted else f"The ports {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} are"
    raise CommandError(f"{taken} taken. Set PORT to a free one.")
