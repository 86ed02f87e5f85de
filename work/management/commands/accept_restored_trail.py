"""`manage.py accept_restored_trail`: after a restore from a backup, go on from the entries that came back."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from work import trail_head
from work.failures import StateChanged


class Command(BaseCommand):
    help = (
        "After the database was restored from a backup, the audit trail ends before the entry that was kept "
        "outside of it. Accept that, with a reason; the decision becomes part of the trail."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--by", required=True, help="who decides: a name, as it shall stand in the trail")
        parser.add_argument("--why", required=True, help="which backup, and why it was restored")

    def handle(self, *, by: str, why: str, **options: Any) -> None:
        try:
            lost = trail_head.accept_loss(by=by, why=why)
        except StateChanged:
            raise CommandError("Nothing is missing: the trail holds the entry that was kept.") from None
        self.stdout.write(
            f"Accepted: entry {lost.number}, kept at {lost.at:%d %b %Y %H:%M}, is not in the trail."
        )
