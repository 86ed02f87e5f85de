"""`manage.py demo`: fills an empty installation by real work, and prints who can sign in."""

from itertools import chain
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.demo import chapters, people, plan, schemas, sending


class Command(BaseCommand):
    help = (
        "Make the demo's organisations, accounts and datasets, and send its uploads. Safe to repeat: only "
        "what is missing is made. Workers do the work; without any this command does it itself."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError(
                "This is not a demo installation: its accounts have a password everybody knows."
            )
        cast = people.make()
        datasets = schemas.make(cast)
        for sentence in chain(sending.send(cast, datasets, plan.PLAN), chapters.tell(cast, datasets)):
            self.stdout.write(sentence)
            self.stdout.flush()
        names = ", ".join(people.NAMES)
        self.stdout.write(f"Sign in as {names} with the password {settings.DEMO_PASSWORD}.")
