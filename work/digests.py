"""The daily digest: one mail in the morning for people who do not want one per event."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from work import mails, wording
from work.jobs import Job
from work.models import Mail, Notification
from work.periodic import database_now

MORNING_HOUR = 7
LISTED = 50


def write(job: Job) -> str:
    """Runs hourly: whoever's morning it is gets the news. A missed hour is made up for that day."""
    now, written = database_now(), 0
    waiting = Notification.objects.filter(is_for_digest=True).values("user")
    for number, person in enumerate(get_user_model().objects.filter(pk__in=waiting).order_by("pk"), start=1):
        written += _write_for(person, now)
        job.progress(number, unit="people")
    return f"wrote {written} digests" if written else "no digest was due"


def _write_for(person: Any, now: dt.datetime) -> int:
    local = now.astimezone(_zone(person))
    key = f"digest:{person.pk}:{local.date()}"
    if local.hour < MORNING_HOUR or Mail.objects.filter(key=key).exists():
        return 0
    with transaction.atomic():
        rows = list(
            Notification.objects.filter(user=person, is_for_digest=True).select_for_update().order_by("id")
        )
        Notification.objects.filter(pk__in=[row.pk for row in rows]).update(is_for_digest=False)
        news = [row for row in rows if row.read_at is None]
        if not news or not person.email or not person.is_active:
            return 0
        mails.queue(user=person, key=key, subject=_subject(news), text=_text(news))
    return 1


def _subject(news: list[Notification]) -> str:
    return news[0].title if len(news) == 1 else f"{len(news)} messages since your last digest"


def _text(news: list[Notification]) -> str:
    parts = [
        f"{wording.exact(row.made_at)}: {row.title}\n{settings.PUBLIC_BASE_URL}{row.path}\n"
        for row in news[:LISTED]
    ]
    if len(news) > LISTED:
        parts.append(f"And {len(news) - LISTED} more.\n")
    return "\n".join(parts)


def _zone(person: Any) -> ZoneInfo:
    try:
        return ZoneInfo(person.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(settings.TIME_ZONE)
