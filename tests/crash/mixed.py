"""Everything that people do with files, drawn from a seed: several formats, foreign headings, wholes, mended
rows, files read again. What must come of it is kept beside it, row by row, as each file is made."""

import io
import random
from collections.abc import Callable

import odf.opendocument
import odf.table
import odf.text
import xlwt

from ingestion import answers, reprocessing
from ingestion.models import Upload
from tests.crash.world import World, as_csv, as_xlsx
from work.failures import StateChanged

HEADINGS = ("id", "amount", "place")
Line = tuple[str, object, str]
PLAIN, WHOLE = 0, 1  # places of the datasets


def as_semicolons(lines: list[Line]) -> bytes:
    return as_csv(lines).replace(b",", b";")


def as_utf_16(lines: list[Line]) -> bytes:
    return as_csv(lines).decode().replace(",", "\t").encode("utf-16")


def as_xls(lines: list[Line]) -> bytes:
    book, out = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("data")
    for number, line in enumerate([HEADINGS, *lines]):
        for place, value in enumerate(line):
            sheet.write(number, place, value)
    book.save(out)
    return out.getvalue()


def as_ods(lines: list[Line]) -> bytes:
    book, out = odf.opendocument.OpenDocumentSpreadsheet(), io.BytesIO()
    sheet = odf.table.Table(name="data")
    for line in [HEADINGS, *lines]:
        row = odf.table.TableRow()
        for value in line:
            row.addElement(ods_cell(value))
        sheet.addElement(row)
    book.spreadsheet.addElement(sheet)
    book.write(out)
    return out.getvalue()


def ods_cell(value: object) -> odf.table.TableCell:
    if isinstance(value, int):
        cell = odf.table.TableCell(valuetype="float", value=value)
    else:
        cell = odf.table.TableCell(valuetype="string")
    cell.addElement(odf.text.P(text=str(value)))
    return cell


FORMATS: list[tuple[str, Callable[[list[Line]], bytes]]] = [
    ("csv", as_csv), ("csv", as_semicolons), ("txt", as_utf_16), ("xlsx", as_xlsx), ("xls", as_xls),
    ("ods", as_ods),
]  # fmt: skip


class Mixed:
    """A world with a plain dataset and a whole one. `sent` has the good rows of each upload, by its id."""

    def __init__(self, name: str, seed: int, *, rows: int) -> None:
        self.chance = random.Random(seed)
        self.rows = rows
        self.world = World.make(name, organisations=1, datasets=1)
        self.world.add_dataset("whole", mode="snapshot", retire_limit=30)
        self.sent: dict = {}
        self.broken: dict = {}  # by upload, the keys that it brings with an amount that is none
        self.never_answered: set = set()
        self.numbers = iter(range(10_000))

    def send_plain(self) -> None:
        """Any format; some rows are refused, under keys of this file alone."""
        number = next(self.numbers)
        suffix, write = self.chance.choice(FORMATS)
        broken = [f"broken-{number}-{place}" for place in range(self.chance.randrange(4))]
        good = self.good_lines()
        upload = self.world.upload(
            write([*good, *((key, "many", "p") for key in broken)]), dataset=PLAIN, suffix=suffix
        )
        self.sent[upload.pk], self.broken[upload.pk] = good, broken

    def send_foreign(self) -> Upload:
        """Headings that no file before it had: it asks."""
        number, good = next(self.numbers), self.good_lines()
        content = as_csv(good).replace(b"id,amount,place", headings(number).encode(), 1)
        upload = self.world.upload(content, dataset=PLAIN)
        Upload.objects.filter(pk=upload.pk).update(filename=f"foreign-{number}.csv")
        self.sent[upload.pk] = good
        return upload

    def send_whole(self) -> None:
        """Often so much is absent from it that it asks before it retires."""
        lines = [(f"w{place}", place, "p") for place in range(60) if self.chance.random() < 0.6]
        suffix, write = self.chance.choice(FORMATS)
        upload = self.world.upload(write([*lines, ("last", 0, "p")]), dataset=WHOLE, suffix=suffix)
        self.sent[upload.pk] = [*lines, ("last", 0, "p")]

    def send_mended(self) -> None:
        """Of a file that has its verdict, the refused rows with an amount; nothing while there is none."""
        refused = Upload.objects.filter(pk__in=list(self.broken), state="partial").order_by("sequence")
        first = refused.first()
        if first is None:
            return
        lines = [(key, 7, "mended") for key in self.broken.pop(first.pk)]
        upload = self.world.upload(as_csv(lines), dataset=PLAIN, mends=first.pk)
        self.sent[upload.pk] = lines

    def read_again(self) -> None:
        """Changes nothing, since nothing that judges its rows has changed."""
        finished = Upload.objects.filter(pk__in=list(self.sent), state__in=("processed", "partial"))
        for upload in list(finished.order_by("sequence")[:1]):
            again = reprocessing.reprocess(upload=upload, by=self.world.by).upload
            self.world.accepted.setdefault(again.pk, b"")

    def answer_all(self) -> None:
        asking = Upload.objects.filter(pk__in=list(self.world.accepted), state="needs_answer")
        for upload in asking.select_related("dataset", "organisation"):
            if upload.pk not in self.never_answered:
                try:
                    answers.answer(upload=upload, reading=answer_to(upload), by=self.world.by)
                except StateChanged:
                    continue  # restarted or answered meanwhile: it is looked at again

    def is_settled(self) -> bool:
        """Everything has its verdict, but what nobody answers."""
        self.answer_all()
        waiting = Upload.objects.filter(pk__in=list(self.world.accepted), finished_at=None)
        return {(upload.pk, upload.state) for upload in waiting} == {
            (pk, "needs_answer") for pk in self.never_answered
        }

    def wanted(self, place: int) -> dict[str, dict]:
        """The newest file's rows stand; of wholes, the newest one's alone."""
        dataset = self.world.datasets[place]
        uploads = Upload.objects.filter(pk__in=list(self.sent), dataset=dataset).order_by("sequence")
        files = [self.sent[upload.pk] for upload in uploads if upload.pk not in self.never_answered]
        if place == WHOLE:
            files = files[-1:]
        return {key: dict(zip(HEADINGS, (key, amount, at), strict=True)) for lines in files
                for key, amount, at in lines}  # fmt: skip

    def good_lines(self) -> list[Line]:
        keys = self.chance.sample(range(self.rows * 3), self.rows)
        return [(f"k{key}", self.chance.randrange(10**6), f"place {key % 7}") for key in keys]


def headings(number: int | str) -> str:
    return f"Kennung {number},Betrag {number},Ort {number}"


def answer_to(upload: Upload) -> dict:
    if upload.question == "confirm_retirement":
        return {"confirm": [f"retire:{upload.asking['retirement']['version']}"]}
    number = upload.filename.removeprefix("foreign-").removesuffix(".csv")
    mapping = dict(zip(HEADINGS, headings(number).split(","), strict=True))
    return {"mapping": mapping} | ({"header_row": 1} if upload.question == "which_header" else {})
