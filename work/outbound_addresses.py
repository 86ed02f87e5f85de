"""Which addresses may be called: public ones, and what OUTBOUND_ALLOW names."""

import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence

from django.conf import settings

from work.failures import NotSent, PermanentFailure

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name, in the order the system prefers."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def permitted(
    host: str,
    port: int,
    *,
    resolve: Callable[[str, int], Sequence[str]],
    seconds: float,
    allow: Sequence[str] = (),
) -> list[str]:
    """The addresses of a host that may be called, those that `allow` names among them. Raises
    PermanentFailure when there are only others, NotSent when there are none.
    """
    addresses = _in_time(lambda: resolve(host, port), host, seconds)
    chosen = [address for address in addresses if may_be_called(host, port, address, allow)]
    if not chosen:
        raise PermanentFailure("outbound_address_refused", host=host)
    return chosen


def may_be_called(host: str, port: int, address: str, allow: Sequence[str] = ()) -> bool:
    """OUTBOUND_ALLOW holds networks (10.1.0.0/16), single addresses, or names with or without a port; `allow`
    is the same for one call.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    return is_public(ip) or any(
        _allows(entry, host, port, ip) for entry in (*settings.OUTBOUND_ALLOW, *allow)
    )


def is_public(ip: Address) -> bool:
    """Also looks at the IPv4 address inside of an IPv6 one, which is where the packets would go."""
    if isinstance(ip, ipaddress.IPv6Address):
        inside = _inside(ip)
        if inside is not None:
            return is_public(inside)
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def ascii_host(host: str) -> str:
    try:
        return host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise PermanentFailure("outbound_url_unusable") from None


def _allows(entry: str, host: str, port: int, ip: Address) -> bool:
    try:
        return ip in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return entry.lower() in (host.lower(), f"{host.lower()}:{port}")


def _inside(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _in_time(resolve: Callable[[], Sequence[str]], host: str, seconds: float) -> Sequence[str]:
    """The system's resolver knows no time-out of ours, so it is asked in a thread that may be left behind."""
    found: list[Sequence[str]] = []

    def ask() -> None:
        try:
            found.append(resolve())
        except OSError:
            found.append(())

    thread = threading.Thread(target=ask, name="resolver", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if not found:
        raise NotSent("outbound_too_slow", host=host)
    if not found[0]:
        raise NotSent("outbound_name_unknown", host=host)
    return found[0]
