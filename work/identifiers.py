"""Identifiers: UUIDv7 (RFC 9562), so that ids sort by the time they were made and indexes grow at one end."""

import datetime as dt
import uuid

from uuid_utils.compat import uuid7 as _uuid7


def uuid7() -> uuid.UUID:
    """A fresh UUIDv7. Never used for lease tokens: a token must not be guessable from its neighbours."""
    return _uuid7()


def first_uuid7(moment: dt.datetime) -> uuid.UUID:
    """The lowest UUIDv7 of that millisecond: `id >= first_uuid7(moment)` is what was made since then."""
    return uuid.UUID(int=int(moment.timestamp() * 1000) << 80)
