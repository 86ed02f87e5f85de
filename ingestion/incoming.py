"""What comes in: a stream whose head was looked at, and a name that somebody gave it."""

import io
import re

from work.storage import Readable


class Rejoined:
    """A stream whose head was looked at, whole again."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self.head, self.rest = io.BytesIO(head), rest

    def read(self, size: int = -1, /) -> bytes:
        return self.head.read(size) or self.rest.read(size)


def clean_filename(name: str) -> str:
    """The last part of the name as sent, without what no name should hold."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(character for character in last if character.isprintable()).strip(" .")
    return kept[-255:] or "unnamed"
