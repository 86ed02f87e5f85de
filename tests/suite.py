"""`make test`: the static checks, then the tests in three groups on a PostgreSQL of their own, and where the
time went. The group of kills waits more than it works, so it runs beside the others. The last line is
pytest's count over all groups."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psycopg
from psycopg.conninfo import make_conninfo

from config.embedded import Server

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
COUNTED = ("failed", "passed", "skipped", "error")


@dataclass
class Part:
    name: str
    command: list[str]
    seconds: float = 0.0
    ok: bool = False
    counts: Counter[str] = field(default_factory=Counter)


STATIC = [
    Part("types", [f"{BIN}/mypy"]),
    Part("format", [f"{BIN}/ruff", "format", "--check", "."]),
    Part("lint", [f"{BIN}/ruff", "check", "."]),
    Part("imports", [f"{BIN}/lint-imports", "--no-cache"]),
    Part("migrations", [PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"]),
    Part("templates", [f"{BIN}/djlint", "templates", "--lint", "--quiet"]),
]
IN_TURN = [
    Part("tests", ["-n", "2", "tests", "--ignore=tests/browser", "--ignore=tests/crash"]),
    Part("browser", ["-n", "2", "--dist", "loadfile", "tests/browser"]),
]
BESIDE = Part("crash", ["tests/crash"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.suite", description=__doc__)
    parser.add_argument("--static", action="store_true", help="only what needs no running part")
    only_static = parser.parse_args().static
    os.chdir(ROOT)
    begun = time.monotonic()
    environment = {**os.environ, "DEMO": "true", "PYTHONUNBUFFERED": "1"}
    with own_database(environment):
        run_static(environment)
        parts = list(STATIC)
        if not only_static:
            with migrated(environment):
                parts += [get_chromium(), *run_tests(environment)]
    print_table(parts)
    if not only_static:
        print(count_line(parts, seconds=time.monotonic() - begun))
    return 0 if all(part.ok for part in parts) else 1


@contextmanager
def own_database(environment: dict[str, str]) -> Iterator[None]:
    """A throw-away server, unless DATABASE_URL names one that may be used."""
    if environment.get("DATABASE_URL"):
        yield
        return
    folder = Path(tempfile.mkdtemp(prefix="waybill-tests-"))
    folder.chmod(0o755)
    server = Server(folder, throwaway=True, max_connections=100)
    try:
        server.start()
        environment["DATABASE_URL"] = server.address
        yield
    finally:
        server.stop("immediate")
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def run_static(environment: dict[str, str]) -> None:
    def run(part: Part) -> None:
        begun = time.monotonic()
        done = subprocess.run(
            part.command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        part.ok, part.seconds = done.returncode == 0, time.monotonic() - begun
        print(f"{part.name}: {'fine' if part.ok else 'NOT FINE'} ({part.seconds:.1f} s)", flush=True)
        if not part.ok:
            print(done.stdout, flush=True)

    with ThreadPoolExecutor(2) as both_cores:
        list(both_cores.map(run, STATIC))


def get_chromium() -> Part:
    """As root on Debian it is installed; elsewhere one line says what is missing, and CI fails."""
    part = Part("chromium", [], ok=True)
    begun = time.monotonic()
    if not has_chromium() and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing chromium for the browser tests.", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run(
                ["apt-get", "-qq", *arguments], env=environment, stdout=subprocess.DEVNULL, check=False
            )
    if not has_chromium():
        print("The browser tests need chromium: install it with your package manager.", flush=True)
        part.ok = not os.environ.get("CI")
    part.seconds = time.monotonic() - begun
    return part


def has_chromium() -> bool:
    return any(shutil.which(name) for name in CHROMIUM)


@contextmanager
def migrated(environment: dict[str, str]) -> Iterator[None]:
    """A database that is migrated once: those of the tests are copies of it, which takes no time."""
    name = f"waybill_template_{os.getpid()}"
    begun = time.monotonic()
    with psycopg.connect(environment["DATABASE_URL"], dbname="postgres", autocommit=True) as session:
        session.execute(f"CREATE DATABASE {name}")
        try:
            address = make_conninfo(environment["DATABASE_URL"], dbname=name)
            subprocess.run(
                [PYTHON, "manage.py", "migrate", "--verbosity=0"],
                env={**environment, "DATABASE_URL": address},
                check=True,
            )
            print(f"migrated once: {time.monotonic() - begun:.1f} s", flush=True)
            environment["TEST_DATABASE_TEMPLATE"] = name
            yield
        finally:
            session.execute(f"DROP DATABASE {name} WITH (FORCE)")


def run_tests(environment: dict[str, str]) -> list[Part]:
    with ThreadPoolExecutor(1) as beside, tempfile.TemporaryFile("w+") as said:
        running = beside.submit(run_group, BESIDE, environment, said)
        for part in IN_TURN:
            print(f"\n--- {part.name}", flush=True)
            run_group(part, environment)
        running.result()
        said.seek(0)
        print(f"\n--- {BESIDE.name}, meanwhile\n{said.read()}", flush=True)
    return [*IN_TURN, BESIDE]


def run_group(part: Part, environment: dict[str, str], said: IO[str] | None = None) -> None:
    """Told at once, or into `said`."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        begun = time.monotonic()
        done = subprocess.run(
            [PYTHON, "-m", "pytest", *part.command, f"--junitxml={report.name}", "--durations=10"],
            env=environment,
            stdout=said,
            stderr=said and subprocess.STDOUT,
            check=False,
        )
        part.seconds = time.monotonic() - begun
        part.ok = done.returncode == 0
        part.counts = read_counts(Path(report.name))


def read_counts(report: Path) -> Counter[str]:
    """A run that died before its report counts as one error."""
    try:
        suite = ElementTree.parse(report).getroot().find("testsuite")
        if suite is None:
            return Counter(error=1)
        total, failed, errors, skipped = (
            int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")
        )
    except (ElementTree.ParseError, OSError):
        return Counter(error=1)
    return Counter(passed=total - failed - errors - skipped, failed=failed, error=errors, skipped=skipped)


def print_table(parts: list[Part]) -> None:
    print("\nWhere the time went")
    for part in parts:
        counts = ", ".join(f"{part.counts[kind]} {kind}" for kind in COUNTED if part.counts[kind])
        print(f"  {part.name:<12}{part.seconds:>7.1f} s  {'fine' if part.ok else 'NOT FINE':<9} {counts}")


def count_line(parts: list[Part], *, seconds: float) -> str:
    total: Counter[str] = Counter()
    for part in parts:
        total += part.counts
    broken = [part.name for part in parts if not part.ok and not part.counts]
    if broken:
        print(f"Checks that failed: {', '.join(broken)}")
    counts = ", ".join(
        f"{total[kind]} {kind}" for kind in COUNTED if total[kind] or kind in {"failed", "passed"}
    )
    return f"{counts} in {seconds:.2f}s"


if __name__ == "__main__":
    sys.exit(main())
