"""`manage.py webhook add|list|off`: where programs are told of what needs a person."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Q

from work import webhooks
from work.failure_texts import describe
from work.failures import PermanentFailure, StateChanged
from work.models import CallState, Webhook


class Command(BaseCommand):
    help = "Add, list or switch off the addresses that are called when something needs a person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="add one and print its secret, which is shown this once")
        add.add_argument("url")
        add.add_argument("--organisation", default="", help="slug; without it the installation's")
        verbs.add_parser("list", help="what there is, and how its calls went")
        off = verbs.add_parser("off", help="call it no more")
        off.add_argument("id")
        for verb in (add, off):
            verb.add_argument("--by", required=True, help="who decides, as it shall stand in the trail")
            verb.add_argument("--why", default="")

    def handle(self, *, verb: str, **options: Any) -> None:
        match verb:
            case "add":
                self._add(**options)
            case "off":
                self._off(**options)
            case _:
                self._list()

    def _add(self, *, url: str, organisation: str, by: str, **options: Any) -> None:
        tenant = _organisation(organisation) if organisation else None
        try:
            webhook = webhooks.add(url=url, organisation=tenant, by=by)
        except PermanentFailure as refused:
            raise CommandError(" ".join(describe(refused.code, refused.detail))) from None
        self.stdout.write(f"{webhook.pk}\n{webhook.secret}")

    def _list(self) -> None:
        answered = Count("calls", filter=Q(calls__state=CallState.ANSWERED))
        failed = Count("calls", filter=Q(calls__state=CallState.FAILED))
        waiting = Count("calls", filter=Q(calls__finished_at=None))
        rows = Webhook.objects.select_related("organisation").order_by("id")
        for hook in rows.annotate(answered=answered, failed=failed, waiting=waiting):
            whose = hook.organisation or "the installation"
            state = "on" if hook.is_active else "off"
            self.stdout.write(
                f"{hook.pk}  {state:<3}  {hook.url}  of {whose}: "
                f"{hook.answered} answered, {hook.failed} failed, {hook.waiting} waiting"
            )

    def _off(self, *, id: str, by: str, why: str, **options: Any) -> None:
        try:
            webhooks.switch_off(webhook=Webhook.objects.get(pk=id), by=by, why=why)
        except (Webhook.DoesNotExist, ValidationError):
            raise CommandError(f"There is no webhook {id}.") from None
        except StateChanged:
            raise CommandError("It is off already.") from None


def _organisation(slug: str) -> Any:
    model: Any = Webhook._meta.get_field("organisation").related_model
    found = model.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no organisation {slug}.")
    return found
