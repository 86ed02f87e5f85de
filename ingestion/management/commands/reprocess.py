"""`manage.py reprocess UPLOAD…`: has kept files read again by today's schema, as the API would."""

import getpass
import json
import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from ingestion import api_bodies, reprocessing
from ingestion.management.commands.ingest import Shell
from ingestion.models import Upload
from work import correlation
from work.problems import Problem


class Command(BaseCommand):
    help = (
        "Read the kept files of uploads again, by the schema of today. This ends when they are accepted, "
        "which is not done. Repeated, it gives the reading that is still unfinished. Many at once are chosen "
        "on the page of uploads."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("uploads", nargs="+", type=uuid.UUID, metavar="UPLOAD")
        parser.add_argument("--why", default="", help="kept with the decision")
        parser.add_argument("--dry-run", action="store_true", help="give a verdict and store nothing")
        parser.add_argument("--json", action="store_true", help="print each new upload as the API does")

    def handle(self, *args: Any, uploads: list[uuid.UUID], why: str, dry_run: bool, **options: Any) -> None:
        refused = 0
        for upload_id in uploads:
            with correlation.bound(""):
                try:
                    again = self._again(upload_id, why, dry_run)
                except Problem as problem:
                    self.stderr.write(f"{upload_id}: {problem.message} {problem.remedy}".strip())
                    refused += 1
                    continue
            if options["json"]:
                body = api_bodies.upload_item(again.upload)
                self.stdout.write(json.dumps(body, cls=DjangoJSONEncoder, ensure_ascii=False))
            else:
                self.stdout.write(_sentence(again))
        if refused:
            raise CommandError(f"{refused} of {len(uploads)} were not read again.")

    def _again(self, upload_id: uuid.UUID, why: str, dry_run: bool) -> reprocessing.Reprocessed:
        upload = Upload.objects.select_related("dataset", "organisation").filter(pk=upload_id).first()
        if upload is None:
            raise Problem(404, "upload_not_found", "There is no such upload.")
        return reprocessing.reprocess(upload=upload, by=Shell(getpass.getuser()), why=why, dry_run=dry_run)


def _sentence(again: reprocessing.Reprocessed) -> str:
    if again.already:
        return f"{again.upload.filename} is being read again already, as {again.upload.pk}."
    trial = " on trial" if again.upload.dry_run else ""
    return (
        f"{again.upload.filename} was accepted to be read again{trial}, as {again.upload.pk}. "
        "It is not processed yet."
    )
