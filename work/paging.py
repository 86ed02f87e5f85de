"""Long lists page by the id of the last row shown, so that the thousandth page costs what the first does."""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import F, Model, QuerySet
from django.db.models.functions import Greatest
from django.http import HttpRequest

from work.problems import Problem

M = TypeVar("M", bound=Model)
FORWARD, BACK = "f", "b"


@dataclass(frozen=True)
class Page(Generic[M]):
    """`next_cursor` leads on in reading order, `previous_cursor` back; each is None where nothing lies."""

    items: list[M]
    next_cursor: str | None
    previous_cursor: str | None


def keyset(
    queryset: QuerySet[M], *, cursor: str | None, limit: int = 50, newest_first: bool = True, by: str = "pk",
    are_few: bool = False,
) -> Page[M]:  # fmt: skip
    """One page by id, or by another field that is unique in the list. Raises Problem 400 `bad_cursor` for a
    cursor that this list did not give.

    `are_few`: the rows are found first and ordered afterwards. In the order of an index a list of few among
    many would be looked for from the newest row to the oldest.
    """
    direction, last = _read(queryset, cursor, by) if cursor else (FORWARD, None)
    upwards = newest_first == (direction == BACK)
    if last is not None:
        queryset = queryset.filter(**{f"{by}__{'gt' if upwards else 'lt'}": last})
    # No index gives the order of this expression, which is that of its field.
    key = Greatest(F(by), F(by)) if are_few else F(by)
    rows = list(queryset.order_by(key.asc() if upwards else key.desc())[: limit + 1])
    has_more, rows = len(rows) > limit, rows[:limit]
    if direction == BACK:
        rows.reverse()
        before, after = has_more, True
    else:
        before, after = last is not None, has_more
    return Page(
        items=rows,
        next_cursor=_write(FORWARD, rows[-1], by) if rows and after else None,
        previous_cursor=_write(BACK, rows[0], by) if rows and before else None,
    )


def of_request(
    request: HttpRequest, queryset: QuerySet[M], *, limit: int = 50, newest_first: bool = True,
    by: str = "pk", are_few: bool = False,
) -> Page[M]:  # fmt: skip
    """For pages: the cursor stands in `cursor`, as the component keyset_pages writes it.

    `{% keyset_pages older=page.next_cursor newer=page.previous_cursor %}`; a malformed cursor gives the
    first page.
    """
    how: dict[str, Any] = {"limit": limit, "newest_first": newest_first, "by": by, "are_few": are_few}
    try:
        return keyset(queryset, cursor=request.GET.get("cursor"), **how)
    except Problem:
        return keyset(queryset, cursor=None, **how)


def after(value: object) -> str:
    """The cursor of the page that begins behind this value, whether a row has it or not."""
    return _encoded(FORWARD, value)


def before(value: object) -> str:
    """The cursor of the page that ends in front of this value."""
    return _encoded(BACK, value)


def position(queryset: QuerySet[Any], cursor: str | None, *, by: str = "pk") -> tuple[bool, Any]:
    """Whether a cursor leads back, and the value that it starts from; None for the first page.

    For lists that find their rows in their own way. Raises Problem 400 `bad_cursor`.
    """
    direction, last = _read(queryset, cursor, by) if cursor else (FORWARD, None)
    return direction == BACK, last


def _write(direction: str, row: Model, by: str) -> str:
    return _encoded(direction, getattr(row, by))


def _encoded(direction: str, value: object) -> str:
    text = json.dumps([direction, str(value)], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(queryset: QuerySet[Any], cursor: str, by: str) -> tuple[str, Any]:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        direction, last = json.loads(text)
        if direction not in (FORWARD, BACK) or not isinstance(last, str) or "\0" in last:
            raise ValueError
        last.encode()  # a lone surrogate is no text of ours
        return direction, _field(queryset, by).to_python(last)
    except (ValueError, TypeError, binascii.Error, ValidationError, RecursionError) as error:
        raise Problem(
            400,
            "bad_cursor",
            "This cursor was not given by this list.",
            "Leave it out to begin with the first page, then follow next_cursor.",
        ) from error


def _field(queryset: QuerySet[Any], name: str) -> Any:
    meta = queryset.model._meta
    return meta.pk if name == "pk" else meta.get_field(name)
