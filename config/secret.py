"""The key that signs sessions and forms. The demo makes one for itself; production brings its own."""

import secrets
from pathlib import Path

from config.environment import env_str


def secret_key(var: Path, *, demo: bool) -> str:
    given = env_str(
        "SECRET_KEY",
        default="" if demo else None,
        hint="Production needs a long random value; DEMO=true runs the demo without one.",
    )
    return given or _own_key(var / "secret-key")


def _own_key(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with path.open("r+") as file:
        key = file.read().strip()
        if not key:
            key = secrets.token_urlsafe(50)
            file.write(key)
    return key
