"""The Oxigraph server that comes with `make run` and `make test`: where it lies, and how it is started. It
knows no password, so it listens on loopback only; who keeps it running is the supervisor's business."""

import socket
import sysconfig
from pathlib import Path
from urllib.parse import urlsplit

from publishing.stores.choosing import NOTE

HOST = "127.0.0.1"


def command(folder: Path, *, port: int) -> list[str]:
    """Keeps its data in the folder, which it makes; one server at a time may have it."""
    binary = Path(sysconfig.get_path("scripts")) / "oxigraph"
    return [str(binary), "serve", "--location", str(folder), "--bind", f"{HOST}:{port}"]


def choose_port(var: Path) -> int:
    """The port of the last start where it is free, so that who has read the note finds the server again;
    noted down for everybody else."""
    note = var / NOTE
    noted = _noted(note)
    port = noted if noted and _is_free(noted) else _any_free()
    half = note.with_suffix(".part")
    half.write_text(f"http://{HOST}:{port}\n")
    half.replace(note)
    return port


def _noted(note: Path) -> int | None:
    try:
        return urlsplit(note.read_text().strip()).port
    except (FileNotFoundError, ValueError):
        return None


def _is_free(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((HOST, port))
        except OSError:
            return False
        return True


def _any_free() -> int:
    with socket.socket() as attempt:
        attempt.bind((HOST, 0))
        port: int = attempt.getsockname()[1]
        return port
