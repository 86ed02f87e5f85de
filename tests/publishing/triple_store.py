"""A real Oxigraph server for tests, started once; and one of its own for a test that kills it."""

import os
import signal
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest

from config import processes, triple_store
from publishing.stores.choosing import by_base
from publishing.stores.protocol import StoreUnavailable


class Oxigraph:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = triple_store.choose_port(self.folder)
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                triple_store.command(self.folder / "data", port=self.port),
                stdout=log,
                stderr=log,
                preexec_fn=processes.die_with_parent(signal.SIGKILL, parent=os.getpid()),
            )
        assert processes.wait_until(self.answers, seconds=30, every=0.02), (self.folder / "log").read_text()
        return self

    def answers(self):
        try:
            by_base(self.url).ask()
        except StoreUnavailable:
            return False
        return True

    def kill(self):
        self.process.kill()
        self.process.wait()

    def clear(self):
        self.run("DROP ALL")

    def run(self, update):
        """Past the adapter: what others do to a store behind our back."""
        call = urllib.request.Request(  # noqa: S310 (our own server)
            f"{self.url}/update", update.encode(), {"Content-Type": "application/sparql-update"}
        )
        urllib.request.urlopen(call).close()  # noqa: S310


@pytest.fixture(scope="session")
def running_oxigraph():
    with tempfile.TemporaryDirectory(prefix="waybill-store-") as folder:
        server = Oxigraph(folder).start()
        yield server
        server.kill()


@pytest.fixture
def oxigraph(running_oxigraph, settings):
    """The empty store of the session, which the settings name."""
    running_oxigraph.clear()
    settings.TRIPLESTORE_URL = running_oxigraph.url
    return running_oxigraph


@pytest.fixture
def own_oxigraph(tmp_path, settings):
    """One that may be killed and started again."""
    (tmp_path / "store").mkdir()
    server = Oxigraph(tmp_path / "store").start()
    settings.TRIPLESTORE_URL = server.url
    yield server
    server.kill()
