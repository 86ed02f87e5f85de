"""Addresses as people type them, made into IRIs that every parser of RDF takes, or refused with the place."""

import re
import unicodedata
from urllib.parse import quote

import pyoxigraph

LONGEST = 2_000
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s\x00-\x20/?#@:\[\]<>\"{}|\\^`%]+)(?::[0-9]{1,5})?")
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
MADE_SAFE = set(' <>"{}|\\^`')


class IriInvalid(ValueError):
    """`code` is stable; the message says what is wrong and where, `remedy` what to do."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy


def made_valid(text: str) -> str:
    """An absolute http(s) IRI: characters that an IRI cannot hold are percent-encoded behind the host, the
    scheme is in lower case. Raises IriInvalid.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise IriInvalid(
            "iri_too_long", f"An address of more than {LONGEST:,} characters.", "Use a shorter one."
        )
    for place, character in enumerate(text, start=1):
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise IriInvalid(
                "iri_control_character",
                f"Character {place} cannot be seen and cannot stand in an address.",
                "Type the address anew, or copy it from the browser’s address bar.",
            )
    scheme = SCHEME.match(text)
    if scheme is None or (scheme[1].lower() not in ("http", "https") and _is_host_and_port(text)):
        raise IriInvalid(
            "iri_without_scheme",
            "The address does not say https:// at its start.",
            f"Write it whole, for instance https://{text.lstrip('/')[:80]}." if text else "Write an address.",
        )
    if scheme[1].lower() not in ("http", "https"):
        raise IriInvalid(
            "iri_scheme",
            f"An address that begins with {scheme[1]}: cannot be opened by everybody.",
            "Use an address that begins with https:// or http://.",
        )
    rest = text[scheme.end() :]
    host = HOST.match(rest[2:]) if rest.startswith("//") else None
    end = 2 + host.end() if host else 2
    if host is None or rest[end : end + 1] not in ("", "/", "?", "#"):
        raise IriInvalid(
            "iri_host",
            f"The name of the site is missing, or broken at character {scheme.end() + end + 1}.",
            "Write the name of the site after https://, for instance https://example.org.",
        )
    iri = f"{scheme[1].lower()}:{rest[:end]}{_encoded(rest[end:])}"
    if not is_valid(iri):
        raise IriInvalid(
            "iri_invalid", "This is no valid address.", "Copy it from the browser’s address bar."
        )
    return iri


def is_valid(iri: str) -> bool:
    """Whether it is absolute and of the characters that RFC 3987 allows."""
    if SCHEME.match(iri) is None or any(each in MADE_SAFE or each < "!" for each in iri):
        return False
    try:
        list(pyoxigraph.parse(f"<urn:a> <urn:b> <{iri}> .".encode(), pyoxigraph.RdfFormat.N_TRIPLES))
    except (SyntaxError, UnicodeError, ValueError):
        return False
    return True


def _is_host_and_port(text: str) -> bool:
    return re.match(r"[A-Za-z0-9.-]+:[0-9]+(/|$)", text) is not None


def _encoded(text: str) -> str:
    text = BAD_PERCENT.sub("%25", text)
    head, mark, fragment = text.partition("#")
    fragment = fragment.replace("#", "%23")
    return "".join(_safe(each) for each in f"{head}{mark}{fragment}")


def _safe(character: str) -> str:
    if character in MADE_SAFE or character in "[]":
        return quote(character, safe="")
    if ord(character) > 127 and unicodedata.category(character) in ("Co", "Cn", "Cf", "Zs", "Zl", "Zp"):
        return quote(character, safe="")
    return character
