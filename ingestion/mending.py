"""While an upload is read: which refused row of an earlier one each of its rows brings mended.

A row rejoins by the number that our own column says it had, and only when such a row was refused. What no
text can say of a cell (an error value, a formula without a value) is refused again while it is unchanged.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion import mending_marks, queries, stories
from ingestion.checking import faults, messages
from ingestion.checking.checker import CheckedRow
from ingestion.checking.faults import Tally
from ingestion.checking.shown import cell_text
from ingestion.kill_points import MEND_KEPT
from ingestion.mending_marks import Marks
from ingestion.models import RowError, Upload
from ingestion.reading.cells import WireCell, column_index, column_letters
from ingestion.row_errors import full_texts
from work import crash
from work.failures import LeaseLost
from work.jobs import Job

# The text that is shown of such a cell is not what it holds, and would pass where any text may stand.
OF_THE_CELL = frozenset(
    {
        "error_value", "not_calculated", "digits_lost", "currency_mixed", "control_character",
        "date_never_was", "date_out_of_range",
    }
)  # fmt: skip
NAMED = 5
OF_THE_ROW = frozenset({"extra_cells", "missing_cells"})


@dataclass
class Mending:
    """`mended` is the upload whose refused rows come back, `root` the first file of the story."""

    mended: Upload
    root: Upload
    marks: Marks
    headers: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    rejoined: set[int] = field(default_factory=set)
    origins: dict[int, int] = field(default_factory=dict)
    strange: "Strange" = field(default_factory=lambda: Strange("row_numbers_not_refused"))
    again: "Strange" = field(default_factory=lambda: Strange("row_numbers_twice"))
    lines: list[str] = field(default_factory=list)

    def rejoin(self, rows: Sequence[list[Any]], checked: Iterable[CheckedRow]) -> None:
        """Of one batch: `origins` by row number, and lines of them for staging."""
        self.origins = {}
        if self.marks.row_place < 0:
            return
        claimed = self._claimed(rows)
        before = self._before(set(claimed.values()))
        typed = {row[0]: row[1] for row in rows}
        for row in checked:
            if row.row not in claimed:
                continue
            origin = claimed[row.row]
            if origin not in before:
                self.strange.add(row.row)
                continue
            if origin in self.rejoined:
                self.again.add(row.row)
                continue
            self.rejoined.add(origin)
            self.origins[row.row] = origin
            self.lines.append(f"{row.row}\t{origin}\t{'t' if self._gives_way(typed[row.row]) else 'f'}")
            self._refuse_unchanged(row, before[origin], typed[row.row])

    def key_of(self, row: int) -> str | None:
        """Where the schema has no key: that of the row's place in the first file."""
        origin = self.origins.get(row)
        return None if origin is None else row_key(self.root, origin)

    def said(self, rows: int, *, is_keyed: bool) -> list[dict[str, Any]]:
        """Row numbers that name no refused row; and of a dataset without a key, where nothing but the number
        tells which row it is, how many are new."""
        alone = 0 if is_keyed else rows - len(self.rejoined)
        said = [*self.strange.said(), *self.again.said()]
        return [*said, messages.assumption("rows_not_found_again", count=alone)] if alone else said

    def _claimed(self, rows: Sequence[list[Any]]) -> dict[int, int]:
        """The number that each row names; 0, which no row has, for what is no number."""
        place = self.marks.row_place
        named = ((row[0], row[1][place]) for row in rows if place < len(row[1]))
        return {row: mending_marks.number_of(cell) or 0 for row, cell in named if cell_text(cell).strip()}

    def _before(self, origins: set[int]) -> dict[int, RowError]:
        """The refused rows as they were when they were handed out, by their number in the first file."""
        refused = queries.error_rows(self.mended)
        if self.mended.pk == self.root.pk:
            return {row.row: row for row in refused.filter(row__in=origins)}
        return {row.origin: row for row in refused.filter(origin__in=origins) if row.origin is not None}

    def _gives_way(self, cells: Sequence[WireCell]) -> bool:
        place = self.marks.give_way_place
        return 0 <= place < len(cells) and bool(cell_text(cells[place]).strip())

    def _refuse_unchanged(self, row: CheckedRow, before: RowError, cells: Sequence[WireCell]) -> None:
        now = full_texts(cells)
        of_row = [error for error in before.faults if error["code"] in OF_THE_ROW]
        if of_row and self._is_same(before.cells, now):
            for error in of_row:
                self._refuse(row, error)
        for error in before.faults:
            place = self._place_now(error)
            if error["code"] not in OF_THE_CELL or place < 0:
                continue
            letters = column_letters(place)
            known = any(one["column"] == letters and one["code"] == error["code"] for one in row.errors)
            if not known and _at(before.cells, column_index(error["column"])) == _at(now, place):
                self._refuse(row, {**error, "column": letters})

    def _refuse(self, row: CheckedRow, fault: dict[str, Any]) -> None:
        """For what it was refused for before."""
        text = faults.again(fault)
        row.faults = [*row.faults, text]
        self.tally.add_text(text, row.row)

    def _is_same(self, before: list[str], now: list[str]) -> bool:
        ours = self.marks.places
        theirs = [text for place, text in enumerate(now) if place not in ours]
        return [text for text in before[: len(self.headers)] if text] == [text for text in theirs if text]

    def _place_now(self, error: dict[str, Any]) -> int:
        """By its heading; columns may have been moved."""
        if not error["column"]:
            return -1
        place = column_index(error["column"])
        if _at(self.headers, place) == error["header"]:
            return place
        return self.headers.index(error["header"]) if error["header"] in self.headers else -1


@dataclass
class Strange:
    """Rows that name a number which says nothing: such a row is told apart by its key, or is a new one."""

    code: str
    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, row: int) -> None:
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(row)

    def said(self) -> list[dict[str, Any]]:
        if not self.count:
            return []
        more = f" and {self.count - len(self.first):,} more" if self.count > len(self.first) else ""
        rows = ", ".join(map(str, self.first)) + more
        return [messages.assumption(self.code, count=self.count, rows=rows)]


def row_key(root: Upload, row: int) -> str:
    """Where the schema has no key, a record is known by the file that brought it first and its row there. A
    file that was read again is the same file."""
    return f'["{root.reprocesses_id or root.pk}",{row}]'


def begin(job: Job, upload: Upload, cells: Sequence[WireCell]) -> tuple[Mending | None, list[dict[str, Any]]]:
    """Tell from the header whether the file mends another, and keep that with the upload, under the lease.

    The other upload must be one of the same dataset: anything else that a heading claims is as if it were
    not there, and the assumption says so in the same words whether such an upload exists or not.
    """
    marks = mending_marks.find(cells)
    story, mended, said = upload.story_id, upload.mends, []
    claimed = _claimed(upload, marks.upload) if marks.upload else None
    if claimed is not None and story in (None, claimed.story_id or claimed.pk):
        mended = claimed
    elif marks.row_place >= 0:
        said = [messages.assumption("rows_not_rejoined")]
        marks = Marks(places=marks.places)
    if mended is None or not stories.may_be_mended(mended):
        return None, said
    root = mended.story or mended
    _keep(job, upload, mended, root)
    return Mending(mended, root, marks), said


def _claimed(upload: Upload, claimed: uuid.UUID) -> Upload | None:
    """Of the same dataset, and accepted before this one; a trial run brought nothing that could be mended."""
    earlier = Upload.objects.select_related("story").filter(
        pk=claimed, dataset=upload.dataset_id, organisation=upload.organisation_id,
        sequence__lt=upload.sequence,
    )  # fmt: skip
    found = earlier.first()
    return found if found is not None and stories.may_be_mended(found) else None


def _keep(job: Job, upload: Upload, mended: Upload, root: Upload) -> None:
    if (upload.mends_id, upload.story_id) == (mended.pk, root.pk):
        return
    held = Upload.objects.filter(pk=upload.pk, lease_token=job.token)
    if not held.update(mends=mended, story=root):
        raise LeaseLost("taken", tried="name the upload that it mends")
    upload.mends, upload.story = mended, root
    crash.point(MEND_KEPT)


def _at(texts: Sequence[str], place: int) -> str:
    return texts[place] if 0 <= place < len(texts) else ""
