"""Who is told of what: apps register notices, the consumer writes one row per person and event.

The row is the effect. Mails and webhook calls are rows of their own, written in the same transaction.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.db.models.functions import Now

from work import mails, webhooks
from work.consumers import Consumer
from work.models import Event, Notification, WebhookCall

Words = Callable[[Event], str]
AT_ONCE, DAILY = "at_once", "daily"


@dataclass(frozen=True)
class Notice:
    """For events whose type matches `pattern`: who is told, in which words, with a link to which page.

    With `needs_person` the webhooks of the organisation are called too. What `is_news` denies is not told;
    within `quiet_for` no title is told twice: a job that fails every minute is one piece of news, and the
    attention list shows that it goes on.
    """

    pattern: str
    recipients: Callable[[Event], Iterable[Any]]
    title: Words
    text: Words
    path: Words
    needs_person: bool = False
    is_news: Callable[[Event], bool] = lambda event: True
    quiet_for: dt.timedelta = dt.timedelta(0)


_registered: dict[str, Notice] = {}


def register(
    pattern: str,
    *,
    recipients: Callable[[Event], Iterable[Any]],
    title: Words,
    text: Words,
    path: Words,
    needs_person: bool = False,
    is_news: Callable[[Event], bool] = lambda event: True,
    quiet_for: dt.timedelta = dt.timedelta(0),
) -> None:
    """Tell people of events of a type (a pattern such as `upload.*`). The first that matches speaks."""
    if pattern in _registered:
        raise ValueError(f"a notice for {pattern} is registered already")
    _registered[pattern] = Notice(pattern, recipients, title, text, path, needs_person, is_news, quiet_for)


def find(event_type: str) -> Notice | None:
    return next((notice for notice in _registered.values() if fnmatchcase(event_type, notice.pattern)), None)


def tell(events: Sequence[Event]) -> None:
    """Write what people are told of each event. In the transaction that finishes the delivery."""
    for event in events:
        notice = find(event.type)
        if notice is not None:
            _tell(event, notice)


def owner(event: Event) -> Iterable[Any]:
    """The person whose work it was: the user id that the payload names as `owner`."""
    return get_user_model().objects.filter(pk=event.payload.get("owner"))


def operators(event: Event) -> Iterable[Any]:
    return get_user_model().objects.filter(is_operator=True)


def unread(user: Any) -> QuerySet[Notification]:
    return Notification.objects.filter(user=user, read_at__isnull=True)


def mark_read(*, by: Any, upto: Any = None, path: str = "") -> int:
    """Mark a person's notifications as read: all up to one, or those that lead to a page. How many."""
    rows = unread(getattr(by, "user", by))
    if upto is not None:
        rows = rows.filter(pk__lte=getattr(upto, "pk", upto))
    if path:
        rows = rows.filter(path=path)
    return rows.update(read_at=Now())


def _tell(event: Event, notice: Notice) -> None:
    title, text, path = notice.title(event)[:250], notice.text(event), notice.path(event)[:250]
    if not notice.is_news(event) or _was_told_lately(title, notice.quiet_for):
        return
    told = set(Notification.objects.filter(event=event.pk).values_list("user", flat=True))
    people = {person.pk: person for person in notice.recipients(event) if person.is_active}
    for person in (people[key] for key in sorted(people) if key not in told):
        _tell_person(person, event, title, text, path)
    if notice.needs_person:
        webhooks.call_all(event, title=title, text=text, path=path)


def _tell_person(person: Any, event: Event, title: str, text: str, path: str) -> None:
    notification = Notification.objects.create(
        user=person,
        organisation_id=event.organisation_id,
        event=event.pk,
        kind=event.type,
        title=title,
        text=text,
        path=path,
        is_for_digest=person.mailing == DAILY,
    )
    if person.mailing == AT_ONCE and person.email:
        link = f"{settings.PUBLIC_BASE_URL}{path}"
        mails.queue(
            user=person,
            key=f"notification:{notification.pk}",
            subject=title,
            text=f"{text}\n\n{link}\n" if text else f"{link}\n",
        )


def _was_told_lately(title: str, quiet_for: dt.timedelta) -> bool:
    if not quiet_for:
        return False
    since = Now() - quiet_for
    return (
        Notification.objects.filter(title=title, made_at__gt=since).exists()
        or WebhookCall.objects.filter(body__title=title, accepted_at__gt=since).exists()
    )


class _Concerned(Consumer):
    """Wants what a notice is registered for, whenever that was: apps register in any order."""

    def wants(self, event_type: str) -> bool:
        return find(event_type) is not None


CONSUMER = _Concerned("notification", tell)
