"""`manage.py verify`: every invariant in one snapshot, as table or JSON. Exits with 1 when one is broken."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from work import invariants
from work.invariants import Finding, Result

SHOWN = 5


class Command(BaseCommand):
    help = "Check what must always hold. Reads only. Exits with 1 when anything is broken."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--deep", action="store_true", help="also read every row and the bytes of every file"
        )
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *, deep: bool, **options: Any) -> None:
        result = invariants.run(deep=deep)
        invariants.keep(result, by="manage.py verify")
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(result), indent=2))
        else:
            self._print(result)
        if result.broken:
            sys.exit(1)

    def _print(self, result: Result) -> None:
        width = max(len(finding.title) for finding in result.findings)
        for finding in result.findings:
            verdict = f"{finding.count} broken" if finding.count else "holds"
            self.stdout.write(f"{finding.title:<{width}}  {finding.seconds:7.3f} s  {verdict}")
            for breach in finding.breaches[:SHOWN]:
                self.stdout.write(f"    {breach.subject}: {breach.sentence}")
            if finding.count > SHOWN:
                self.stdout.write(f"    and {finding.count - SHOWN} more")
        self.stdout.write(_summary(result))


def _summary(result: Result) -> str:
    kind = "deep" if result.is_deep else "quick"
    if result.broken:
        return f"{len(result.broken)} of {len(result.findings)} invariants are broken ({kind} run)."
    return f"All {len(result.findings)} invariants hold ({kind} run)."


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "deep": result.is_deep,
        "ok": not result.broken,
        "invariants": [_line(finding) for finding in result.findings],
    }


def _line(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "title": finding.title,
        "ok": not finding.count,
        "seconds": finding.seconds,
        "count": finding.count,
        "breaches": [{"subject": breach.subject, "sentence": breach.sentence} for breach in finding.breaches],
    }
