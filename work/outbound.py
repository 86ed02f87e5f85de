"""The only way out: HTTP calls to addresses that others chose, so each address is checked before it is used.

The address that was checked is the one connected to, at the first call and at every redirect; private ones
are refused unless OUTBOUND_ALLOW names them. No proxy is taken from the environment.
"""

import contextlib
import http.client
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urljoin, urlsplit

from work import outbound_addresses, outbound_sockets
from work.failures import PermanentFailure

SECONDS = 10.0
LIMIT_BYTES = 1 << 20
BLOCK_BYTES = 1 << 18
REDIRECTS = 3
MOVED = {301, 302, 303, 307, 308}
KEEPS_ITS_METHOD = {307, 308}
# What may follow a redirect to another server: nothing that could be a secret.
HARMLESS_HEADERS = {"accept", "content-type", "user-agent"}


@dataclass(frozen=True)
class Answer:
    """`url` is where the answer came from; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


@dataclass(frozen=True)
class Call:
    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """`seconds` bounds the whole call with its redirects. `resolve(host, port)` gives a name's addresses.
    `into` is given the body of a 2xx block by block, so that it need not fit into memory: `Answer.body` is
    empty then. `allow` names further addresses, as OUTBOUND_ALLOW does: only those of settings, never any
    that a person gave.
    """

    seconds: float = SECONDS
    limit_bytes: int = LIMIT_BYTES
    redirects: int = REDIRECTS
    resolve: Callable[[str, int], Sequence[str]] = outbound_addresses.look_up
    tls: ssl.SSLContext | None = None
    into: Callable[[bytes], None] | None = None
    allow: Sequence[str] = ()


def fetch(call: Call, rules: Rules | None = None) -> Answer:
    """Make a call and read its whole answer, whatever its status.

    Raises PermanentFailure for an address that may not be called, an answer that is too large or redirects
    without end; TemporaryFailure when nobody answers in time, or in HTTP, and NotSent of these when the call
    did surely not arrive. The codes start with `outbound_`.
    """
    rules = rules or Rules()
    ends = time.monotonic() + rules.seconds
    for _ in range(rules.redirects + 1):
        answer = _one_call(call, rules, ends)
        target = answer.headers.get("location", "")
        if answer.status not in MOVED or not target or not rules.redirects:
            return answer
        call = _redirected(call, answer.status, target)
    raise PermanentFailure("outbound_too_many_redirects", host=checked(call.url).hostname)


def checked(url: str) -> SplitResult:
    """The parts of an address that has a form we call. Raises PermanentFailure."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or "@" in parts.netloc or any(mark <= " " or mark == "\x7f" for mark in url):
        raise PermanentFailure("outbound_url_unusable")
    return parts


def _one_call(call: Call, rules: Rules, ends: float) -> Answer:
    parts = checked(call.url)
    host = outbound_addresses.ascii_host(parts.hostname or "")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = outbound_addresses.permitted(
        host, port, resolve=rules.resolve, seconds=ends - time.monotonic(), allow=rules.allow
    )
    tls = (rules.tls or ssl.create_default_context()) if parts.scheme == "https" else None
    with outbound_sockets.connected(host, port, addresses, tls=tls, ends=ends) as sock:
        connection = http.client.HTTPConnection(host, port)
        connection.sock = sock
        connection.request(
            call.method,
            (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            body=call.body or None,
            headers={"User-Agent": "Waybill", **call.headers, "Host": parts.netloc, "Connection": "close"},
        )
        with contextlib.closing(connection.getresponse()) as response:
            body = _body(response, rules, host)
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, headers, body, call.url)


def _body(response: http.client.HTTPResponse, rules: Rules, host: str) -> bytes:
    if rules.into is None:
        return _read(response, rules.limit_bytes, host)
    if not 200 <= response.status < 300:
        return _read(response, LIMIT_BYTES, host)
    left = rules.limit_bytes
    while block := response.read(BLOCK_BYTES):
        left -= len(block)
        if left < 0:
            raise PermanentFailure("outbound_answer_too_large", host=host, limit=rules.limit_bytes)
        rules.into(block)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b""


def _read(response: http.client.HTTPResponse, limit: int, host: str) -> bytes:
    announced = response.length or 0
    body = b"" if announced > limit else response.read(limit + 1)
    if announced > limit or len(body) > limit:
        raise PermanentFailure("outbound_answer_too_large", host=host, limit=limit)
    if response.length:
        raise http.client.IncompleteRead(body, response.length)
    return body


def _redirected(call: Call, status: int, target: str) -> Call:
    before, url = checked(call.url), urljoin(call.url, target)
    after = checked(url)
    if before.scheme == "https" and after.scheme != "https":
        raise PermanentFailure("outbound_redirect_drops_tls", host=after.hostname)
    headers = call.headers
    if (before.scheme, before.netloc) != (after.scheme, after.netloc):
        headers = {name: value for name, value in headers.items() if name.lower() in HARMLESS_HEADERS}
    if status in KEEPS_ITS_METHOD or call.method in ("GET", "HEAD"):
        return Call(call.method, url, call.body, headers)
    return Call("GET", url, b"", headers)
