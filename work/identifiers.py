"""Identifiers: UUIDv7 (RFC 9562), so that ids sort by the time they were made and indexes grow at one end."""

import uuid

from uuid_utils.compat import uuid7 as _uuid7


def uuid7() -> uuid.UUID:
    """A fresh UUIDv7. Never used for lease tokens: a token must not be guessable from its neighbours."""
    return _uuid7()
