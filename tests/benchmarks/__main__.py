"""`make bench`: what each promise about speed and memory comes to on this machine, in one table.

Works in a database of its own, made and dropped here, on the server that DATABASE_URL names.
"""

import importlib
import os
import pkgutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.benchmarks.lines import Line

DATABASE = f"waybill_bench_{os.getpid()}"


def main() -> int:
    with own_database():
        prepare()
        lines = [line for module in modules() for line in timed(module)]
    print_table(lines)
    return 0 if all(line.holds for line in lines) else 1


@contextmanager
def own_database() -> Iterator[None]:
    address = os.environ["DATABASE_URL"]
    with psycopg.connect(address, autocommit=True) as session:
        session.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        session.execute(f"CREATE DATABASE {DATABASE}")
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(address)._replace(path=f"/{DATABASE}"))
    try:
        yield
    finally:
        with psycopg.connect(address, autocommit=True) as session:
            session.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")


def prepare() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def modules() -> list[str]:
    """Every `bench_…` module beside this one, or those named on the command line."""
    package = importlib.import_module("tests.benchmarks")
    found = sorted(name for _, name, _ in pkgutil.iter_modules(package.__path__) if name.startswith("bench_"))
    wanted = {f"bench_{name}" for name in sys.argv[1:]}
    return [name for name in found if not wanted or name in wanted]


def timed(name: str) -> list[Line]:
    begun = time.monotonic()
    print(f"{name.removeprefix('bench_')} …", flush=True)
    lines: list[Line] = importlib.import_module(f"tests.benchmarks.{name}").run()
    print(f"{name.removeprefix('bench_')} took {time.monotonic() - begun:.0f} s", flush=True)
    return lines


def print_table(lines: list[Line]) -> None:
    rows = [("what", "measured", "baseline", "wanted", "")]
    rows += [
        (line.what, line.measured, line.baseline, line.bar, "holds" if line.holds else "DOES NOT HOLD")
        for line in lines
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    sys.exit(main())
