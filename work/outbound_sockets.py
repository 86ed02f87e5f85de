"""One connection to an address that was checked, with an end that no slow server can move."""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence

from work.failures import NotSent, TemporaryFailure

CONNECT_SECONDS = 5.0


@contextlib.contextmanager
def connected(
    host: str, port: int, addresses: Sequence[str], *, tls: ssl.SSLContext | None, ends: float
) -> Iterator[socket.socket]:
    """A socket to the first of the addresses that answers; with TLS the certificate must be the host's.

    Whatever the network does inside the block becomes a TemporaryFailure; what it does before, NotSent.
    """
    expired, is_sent = threading.Event(), False
    try:
        with contextlib.closing(_connect(host, port, addresses, ends)) as plain:
            sock = plain
            if tls is not None:
                # The handshake comes under the deadline too, so it is not made while wrapping.
                sock = tls.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
            with contextlib.closing(sock), _cut_off(sock, ends, expired):
                if isinstance(sock, ssl.SSLSocket):
                    sock.do_handshake()
                is_sent = True
                yield sock
                if expired.is_set():  # a body that ends with its connection would look complete
                    raise TimeoutError
    except (OSError, http.client.HTTPException, ValueError) as error:
        failure = TemporaryFailure if is_sent else NotSent
        raise failure(_code(error, expired.is_set()), host=host) from error


def _connect(host: str, port: int, addresses: Sequence[str], ends: float) -> socket.socket:
    problem: OSError = TimeoutError("no time was left")
    for address in addresses:
        left = ends - time.monotonic()
        if left <= 0:
            break
        try:
            sock = socket.create_connection((address, port), timeout=min(CONNECT_SECONDS, left))
        except OSError as error:
            problem = error
            continue
        sock.settimeout(max(0.1, ends - time.monotonic()))
        return sock
    raise problem


@contextlib.contextmanager
def _cut_off(sock: socket.socket, ends: float, expired: threading.Event) -> Iterator[None]:
    """Time-outs of a socket count from byte to byte: one byte a second could go on for ever. So the
    connection is shut down from outside when the time is over."""

    def cut() -> None:
        expired.set()
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)  # the plain one: TLS has nothing to say any more

    timer = threading.Timer(max(0.0, ends - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _code(error: Exception, expired: bool) -> str:
    if expired or isinstance(error, TimeoutError):
        return "outbound_too_slow"
    if isinstance(error, ssl.SSLError):
        return "outbound_tls_failed"
    if isinstance(error, OSError):
        return "outbound_unreachable"
    return "outbound_answer_unreadable"
