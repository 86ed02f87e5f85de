"""Datasets, files made from a seed, and what their uploads must come to, read from the files themselves by
csv, openpyxl and dictionaries. The comparison uses nothing of the product but its stored rows."""

import csv
import io
import random
from collections import Counter
from dataclasses import dataclass, field

import openpyxl
import xlsxwriter

from accounts.models import Membership, Organisation, User
from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import (
    Dataset,
    IndexChange,
    IndexUpdate,
    Record,
    RowError,
    SchemaVersion,
    Upload,
)
from ingestion.search import comparing
from ingestion.search.index import index
from ingestion.upload_options import UploadOptions
from work.models import Attempt

SCHEMA = {
    "fields": [
        {"name": "id", "type": "string", "constraints": {"required": True}},
        {"name": "amount", "type": "integer"},
        {"name": "place", "type": "string"},
    ],
    "primaryKey": ["id"],
}
VERDICTS = ("processed", "partial", "failed", "cancelled")


@dataclass
class World:
    """Some organisations with some datasets, and every upload that was accepted into them."""

    datasets: list[Dataset]
    by: Principal
    accepted: dict = field(default_factory=dict)
    references: dict = field(default_factory=dict)

    @classmethod
    def make(cls, name: str, *, organisations: int = 2, datasets: int = 2) -> "World":
        user = User.objects.create(username=f"crash-{name}", email=f"{name}@example.org")
        made = []
        for number in range(organisations):
            organisation = Organisation.objects.create(slug=f"{name}-{number}", title=f"{name} {number}")
            Membership.objects.create(user=user, organisation=organisation, role="uploader")
            for second in range(datasets):
                dataset = Dataset.objects.create(organisation=organisation, slug=f"d{second}", title="D")
                SchemaVersion.objects.create(dataset=dataset, number=1, schema=SCHEMA)
                made.append(dataset)
        return cls(datasets=made, by=Principal(user))

    def add_dataset(self, slug: str, **columns: object) -> int:
        """Another dataset of the first organisation; its place in `datasets`."""
        dataset = Dataset.objects.create(
            organisation=self.datasets[0].organisation, slug=slug, title=slug, **columns
        )
        SchemaVersion.objects.create(dataset=dataset, number=1, schema=SCHEMA)
        self.datasets.append(dataset)
        return len(self.datasets) - 1

    def upload(self, content: bytes, *, dataset: int = 0, suffix: str = "csv", **options: object) -> Upload:
        accepted = uploads.accept(
            dataset=self.datasets[dataset % len(self.datasets)], stream=io.BytesIO(content),
            filename=f"file-{len(self.accepted)}.{suffix}", by=self.by, options=UploadOptions(**options),
        )  # fmt: skip
        self.accepted[accepted.upload.pk] = content
        return accepted.upload

    def upload_random(self, seed: int, *, rows: int) -> Upload:
        suffix = "xlsx" if seed % 4 == 0 else "csv"
        return self.upload(make_file(seed, rows=rows, suffix=suffix), dataset=seed, suffix=suffix)

    def reference_of(self, upload: Upload) -> tuple[dict, list[int]]:
        """Read once: a world is checked after each of its tests."""
        if upload.pk not in self.references:
            self.references[upload.pk] = reference(self.accepted[upload.pk], upload.kind)
        return self.references[upload.pk]

    def unfinished(self) -> int:
        return Upload.objects.filter(pk__in=list(self.accepted), finished_at=None).count()

    def check(self, *, may_die: bool = False) -> None:
        """Every upload has its verdict with the right numbers, and records are those of the reference."""
        stored: dict = {dataset.pk: {} for dataset in self.datasets}
        for upload in Upload.objects.filter(pk__in=list(self.accepted)).order_by("sequence"):
            assert upload.state in VERDICTS, f"{upload.pk} is {upload.state}"
            if upload.state == "failed" and may_die:
                assert upload.failure_code == "worker_died_repeatedly"
                continue
            if upload.state != "cancelled":
                check_upload(upload, self.reference_of(upload), stored[upload.dataset_id])
        for dataset in self.datasets:
            found = {record.key: record.data for record in Record.objects.filter(dataset=dataset)}
            wanted = stored[dataset.pk]
            assert len(found) == len(wanted)
            assert {data["id"]: data for data in found.values()} == wanted


def in_use(dataset: Dataset) -> dict[str, dict]:
    """By id, the values of its records that are not retired."""
    found = [record.data for record in Record.objects.filter(dataset=dataset, retired_at=None)]
    by_id = {data["id"]: data for data in found}
    assert len(by_id) == len(found)
    return by_id


def is_indexed(datasets: list[Dataset]) -> bool:
    """Nothing waits for the index, and nobody is about to write to it."""
    return not (
        IndexChange.objects.filter(dataset__in=datasets).exists()
        or IndexUpdate.objects.filter(dataset__in=datasets, finished_at=None).exists()
    )


def check_index(dataset: Dataset) -> None:
    """It has the records that are in use, each once, and the product's own comparison agrees."""
    wanted = Record.objects.filter(dataset=dataset, retired_at=None).order_by("pk")
    found, after = [], 0
    while page := index().versions(dataset.pk, after=after, limit=5_000):
        found += [id for id, _ in page]
        after = page[-1][0]
    assert found == list(wanted.values_list("pk", flat=True))
    assert comparing.is_equal(dataset.pk)


def finished_once(*rows: object) -> bool:
    """No row was finished by two attempts."""
    finished = Attempt.objects.filter(subject__in=[row.pk for row in rows], outcome="finished")
    return sorted(finished.values_list("subject", flat=True)) == sorted(row.pk for row in rows)


def check_upload(upload: Upload, wanted: tuple[dict, list[int]], stored: dict) -> None:
    good, refused = wanted
    told = (upload.rows_read, upload.valid, upload.refused, upload.blank)
    assert told == (len(good) + len(refused), len(good), len(refused), 0), upload.pk
    assert upload.inserted + upload.updated + upload.unchanged + upload.superseded == len(good)
    assert upload.state == ("partial" if refused else "processed")
    assert upload.unanswered < 3
    lines = RowError.objects.filter(upload=upload, run=upload.run).values_list("row", flat=True)
    assert sorted(lines) == sorted(refused)
    answers = Attempt.objects.filter(subject=upload.pk, outcome="finished")
    assert [answer.token for answer in answers] == [upload.run]
    stored.update(good)


def make_file(seed: int, *, rows: int, suffix: str) -> bytes:
    """Keys are shared between the files of a dataset; those of refused rows are of this file alone, so that
    the result does not depend on which file a worker takes first."""
    chance = random.Random(seed)
    lines: list[tuple[str, object, str]] = []
    for number in range(rows):
        kind = chance.random()
        key = f"k{chance.randrange(rows * 40)}-{number % 7}"
        if kind < 0.01:
            lines.append(("", number, "no key"))
        elif kind < 0.03:
            lines.append((f"bad-{seed}-{number}", "many", "no number"))
        else:
            lines.append((key, chance.randrange(10**6), f"place {number % 100}"))
    kept, seen = [], set()
    for line in lines:  # each key once in a file, but for one pair that refuses each other
        if not line[0] or line[0] not in seen:
            kept.append(line)
            seen.add(line[0])
    twin = f"twin-{seed}"
    kept += [(twin, 1, "first"), (twin, 2, "second")]
    return as_xlsx(kept) if suffix == "xlsx" else as_csv(kept)


def as_csv(lines: list) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "amount", "place"])
    writer.writerows(lines)
    return text.getvalue().encode()


def as_xlsx(lines: list) -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as workbook:
        sheet = workbook.add_worksheet("data")
        sheet.write_row(0, 0, ["id", "amount", "place"])
        for number, line in enumerate(lines, start=1):
            sheet.write_row(number, 0, line)
    return buffer.getvalue()


def reference(content: bytes, kind: str) -> tuple[dict, list[int]]:
    """The good rows by key, and the numbers of the refused rows as the spreadsheet program shows them."""
    rows = read_xlsx(content) if kind == "xlsx" else read_csv(content)
    times = Counter(row[0] for _, row in rows)
    good, refused = {}, []
    for number, (key, amount, place) in rows:
        if not key or times[key] > 1 or not amount.isdigit():
            refused.append(number)
        else:
            good[key] = {"id": key, "amount": int(amount), "place": place}
    return good, refused


def read_csv(content: bytes) -> list:
    lines = list(csv.reader(io.StringIO(content.decode())))
    return [(number, line) for number, line in enumerate(lines, start=1)][1:]


def read_xlsx(content: bytes) -> list:
    sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).active
    return [
        (number, ["" if cell is None else str(cell) for cell in row])
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1)
    ][1:]
