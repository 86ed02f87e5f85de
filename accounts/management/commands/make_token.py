"""`manage.py make_token USERNAME --organisation O`: prints an API token, alone on the last line."""

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts import tokens
from accounts.models import Organisation, User

LONGEST_DAYS = 36_500
LONGEST_TITLE = 100


class Command(BaseCommand):
    help = "Make an API token for a person in an organisation. The token is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--organisation", required=True, help="the organisation's slug")
        parser.add_argument(
            "--role", choices=["uploader", "manager", "operator"], help="default: the highest"
        )
        parser.add_argument("--title", default="Made in the shell")
        parser.add_argument("--days", type=int, help="expires after so many days; default: never")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {options['username']}.")
        organisation = Organisation.objects.filter(slug=options["organisation"]).first()
        if organisation is None:
            raise CommandError(f"There is no organisation {options['organisation']}.")
        days, title = options["days"], options["title"]
        if days is not None and not 1 <= days <= LONGEST_DAYS:
            raise CommandError(f"--days is a number from 1 to {LONGEST_DAYS}.")
        if not 1 <= len(title) <= LONGEST_TITLE:
            raise CommandError(f"--title has 1 to {LONGEST_TITLE} characters.")
        try:
            token, secret = tokens.make(
                user=user,
                organisation=organisation,
                role=options["role"] or tokens.highest_role(user, organisation),
                title=title,
                expires_at=timezone.now() + dt.timedelta(days=days) if days is not None else None,
                by=f"shell as {user.get_username()}",
            )
        except tokens.RoleTooHigh as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Token {token.hint} of {user} in {organisation}, role {token.role}:")
        self.stdout.write(secret)
