"""`manage.py forget_second_factor USERNAME --why …`: for who lost phone and recovery codes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import people
from accounts.models import User


class Command(BaseCommand):
    help = "Remove a person's second factor; where one is required they are asked to set up a new one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--why", required=True, help="kept in the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['username']}.")
        if not people.forget_second_factor(user=user, by="shell", why=options["why"]):
            raise CommandError(f"{user} has no second factor.")
        self.stdout.write(f"{user} signs in with the password alone now, and may set up a new second factor.")
