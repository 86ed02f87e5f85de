"""Text as people type it: what the database must never see, what is blank, what counts as equal."""

import re
import unicodedata

from ingestion.reading.loosely import ZERO_WIDTH, loose

__all__ = ["ZERO_WIDTH", "canonical", "is_blank", "loose", "shown"]

# NUL and lone surrogates end a COPY; the other controls are never meant. Tab and line ends are.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
LONGEST_SHOWN = 200


def is_blank(text: str) -> bool:
    """Nothing but spaces of any kind."""
    return not text.strip() or not ZERO_WIDTH.sub("", text).strip()


def canonical(text: str) -> str:
    """What two keys are compared by: NFKC, without zero-width characters and outer spaces. Case counts."""
    return " ".join(ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).split())


def shown(text: str, *, most: int = LONGEST_SHOWN) -> str:
    """Text that is safe to store and to show, with pictures in the place of controls."""
    text = text if len(text) <= most else text[: most - 1] + "…"
    return CONTROL.sub(lambda match: _picture(ord(match[0])), text)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"
