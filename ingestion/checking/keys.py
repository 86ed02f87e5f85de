"""The key of a record and its short form."""

from hashlib import blake2b

DIGEST_BYTES = 16


def key_hash(key: str) -> int:
    """Eight signed bytes, as a bigint of the database holds them."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)


def digest(text: str) -> bytes:
    """Of the canonical JSON of a row: equal rows have equal digests, whatever file they came in."""
    return blake2b(text.encode(), digest_size=DIGEST_BYTES).digest()
