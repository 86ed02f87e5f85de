"""The rail of every page: apps register their entries in ready(), base.html draws those the viewer may open.
Imports no app; an entry whose address does not exist is left out, so parts may come and go."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject

SECTIONS = ("", "Pipelines", "Records", "Operation", "Account")

Permission = Callable[[HttpRequest], bool]
Badge = Callable[[HttpRequest], int | None]


def signed_in(request: HttpRequest) -> bool:
    """And not held up: who must set up a second factor first could open nothing that the rail offers."""
    user = getattr(request, "user", None)
    return user is not None and user.is_authenticated and not getattr(request, "is_held_up", False)


def operators(request: HttpRequest) -> bool:
    return signed_in(request) and bool(getattr(request.user, "is_operator", False))


@dataclass(frozen=True)
class Entry:
    section: str
    label: str
    url_name: str
    permission: Permission
    order: int
    badge: Badge | None


@dataclass
class Link:
    label: str
    url: str
    count: int | None
    current: str = ""


@dataclass(frozen=True)
class Section:
    title: str
    links: list[Link]


_entries: dict[tuple[str, str], Entry] = {}


def register(
    section: str,
    label: str,
    url_name: str,
    *,
    permission: Permission = signed_in,
    order: int = 100,
    badge: Badge | None = None,
) -> None:
    """Put an entry on the rail. Safe to repeat: the same url name in a section replaces its entry."""
    if section not in SECTIONS:
        raise ValueError(f"no section {section!r} on the rail; choose one of {', '.join(SECTIONS)}")
    _entries[section, url_name] = Entry(section, label, url_name, permission, order, badge)


def rail(request: HttpRequest) -> dict[str, object]:
    """Context processor. The rail is worked out only when a page draws it, never for a fragment."""
    return {
        "rail": SimpleLazyObject(lambda: sections(request)),
        "health_line_url": address("health_line") if operators(request) else None,
        "find_url": address("find") if signed_in(request) else None,
        "home_url": address("home") or "/",
        "sign_out_url": address("account_logout"),
        "help_url": address("help"),
        "profile_url": address("profile"),
    }


def sections(request: HttpRequest) -> list[Section]:
    drawn = [(section, _links(request, section)) for section in SECTIONS]
    _mark_current([link for _, links in drawn for link in links], request.path)
    return [Section(title, links) for title, links in drawn if links]


def _links(request: HttpRequest, section: str) -> list[Link]:
    links = []
    entries = [entry for entry in _entries.values() if entry.section == section]
    for entry in sorted(entries, key=lambda entry: (entry.order, entry.label)):
        url = address(entry.url_name)
        if url is not None and entry.permission(request):
            links.append(Link(entry.label, url, entry.badge(request) if entry.badge else None))
    return links


def _mark_current(links: list[Link], path: str) -> None:
    """Only the longest address that leads to this page is current, so that `/` is not current everywhere."""
    leading = [link for link in links if path == link.url or (link.url != "/" and path.startswith(link.url))]
    if leading:
        nearest = max(leading, key=lambda link: len(link.url))
        nearest.current = "page" if path == nearest.url else "true"


def address(url_name: str) -> str | None:
    try:
        return reverse(url_name)
    except NoReverseMatch:
        return None
