"""Addresses of the page one is on with another filter, order or page: the state of a list is its address."""

from django.http import HttpRequest

PLACE = ("cursor", "page")  # where one is in a list; any other choice starts it from its beginning


def with_query(request: HttpRequest, **changes: str | int | None) -> str:
    """The address of this page with some of its query changed; None leaves a name out."""
    query = request.GET.copy()
    for name in (*PLACE, *changes):
        query.pop(name, None)
    for name, value in changes.items():
        if value is not None:
            query[name] = str(value)
    encoded = query.urlencode()
    return f"{request.path}?{encoded}" if encoded else request.path


def without_value(request: HttpRequest, name: str, value: str) -> str:
    """The address with one of several values of a name taken back."""
    query = request.GET.copy()
    left = [other for other in query.getlist(name) if other != value]
    for place in PLACE:
        query.pop(place, None)
    query.setlist(name, left)
    if not left:
        query.pop(name)
    encoded = query.urlencode()
    return f"{request.path}?{encoded}" if encoded else request.path
