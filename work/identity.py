"""Which worker this process is: a fresh uuid per start. Host name and process id are for people only."""

import os
import socket
import uuid
from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    id: uuid.UUID
    cluster: str
    label: str


_current: Identity | None = None


def current() -> Identity:
    """This process's identity; made on first use, and anew after a fork."""
    global _current
    if _current is None:
        cluster = os.environ.get("Q_CLUSTER_NAME", "ground")
        _current = Identity(id=uuid.uuid4(), cluster=cluster, label=f"{socket.gethostname()}:{os.getpid()}")
    return _current


def _forget() -> None:
    global _current
    _current = None


os.register_at_fork(after_in_child=_forget)
