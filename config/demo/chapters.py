"""What goes on after the files were sent: refused rows are mended, a file is read again by a changed schema,
and a manager works on schemas that are not saved yet. Safe to repeat: only what is missing is made."""

from collections.abc import Iterator
from functools import partial

from django.core.files.uploadedfile import TemporaryUploadedFile

from config.demo import tables
from config.demo.files import as_workbook
from config.demo.people import AVIATION, Cast
from config.demo.plan import FRANCE, HIGHEST, REVISED
from config.demo.sending import Sending, send, settled
from ingestion import datasets as schemas
from ingestion import mending_file, mending_pages, reprocessing, schema_drafts, stories
from ingestion.mending_file import Edits
from ingestion.models import Dataset, RowError, SchemaDraft, Upload
from ingestion.reading.cells import column_index
from ingestion.upload_options import UploadOptions

SAMPLE = "airports of Oceania.xlsx"
MENDED_AT_ONCE, HIGHEST_ALLOWED = 7, 5_000


def tell(cast: Cast, datasets: dict[str, Dataset]) -> Iterator[str]:
    yield from _mend(cast, datasets)
    yield from _read_again(cast, datasets["countries"])
    yield from _draft(cast, datasets["airports-europe"])


def _mend(cast: Cast, datasets: dict[str, Dataset]) -> Iterator[str]:
    """Twice: one value is overlooked at first, and some rows are left for who looks at the demo."""
    root = _first(datasets["airports-europe"], FRANCE)
    for times in (0, 1):
        if root.chapters.count() > times:
            continue
        of = stories.of(root).goes_on_with or root
        rows = list(stories.open_rows(of).order_by("row")[:MENDED_AT_ONCE])
        edits = _true_values(of, rows)
        if times == 0:
            edits[rows[-1].row] = dict.fromkeys(edits[rows[-1].row], "not known")
        content = mending_file.write(of, mending_file.mended(of, edits), given_way=set())
        sending = Sending(
            "airports-europe", mending_pages.filename(of), "uploader", partial(bytes, content),
            options=UploadOptions(mends=of.pk),
        )  # fmt: skip
        yield from send(cast, datasets, [sending] * (times + 1))  # the second file has the name of the first
    story = stories.of(root)
    yield f"{FRANCE}: {story.stored} of {story.rows} rows stored, {story.mended} mended, {story.left} left"


def _true_values(upload: Upload, rows: list[RowError]) -> Edits:
    """For the cells at fault, what the table has that the mistakes were put into; its first rows only, whose
    places did not move."""
    table = tables.airports({"FR"})
    edits: Edits = {}
    for row in rows:
        true = table[(mending_file.origin_of(upload, row) or 1) - 1]
        places = [column_index(error["column"]) for error in row.errors if error["column"]]
        edits[row.row] = {place: str(true[place] or "") for place in places}
    return edits


def _read_again(cast: Cast, dataset: Dataset) -> Iterator[str]:
    """The schema learns what people write for a value that they do not know."""
    upload, by = _first(dataset, REVISED), cast.people["manager"]
    again = upload.reprocessed_by.first()
    if again is None:
        current = dataset.schema_versions.latest("number")
        fields = [
            {**field, "missingValues": ["", "unknown"]} if field.get("title") == HIGHEST else field
            for field in current.schema["fields"]
        ]
        schema = {**current.schema, "fields": fields}
        schemas.change_schema(dataset=dataset, schema=schema, if_match=current.number, by=by)
        why = "“unknown” now stands for a value that is missing."
        again = reprocessing.reprocess(upload=upload, by=by, why=why).upload
    again = settled(again)
    yield f"{REVISED}, read again: {again.state}"


def _draft(cast: Cast, dataset: Dataset) -> Iterator[str]:
    """One inferred from a sample, and one that would refuse records which are there."""
    by, organisation = cast.people["manager"], cast.organisations[AVIATION]
    own = SchemaDraft.objects.filter(made_by=by.user)
    if not own.filter(sample_name=SAMPLE).exists():
        content = as_workbook(tables.airports({"AU", "NZ"}), sheet="Oceania")
        with TemporaryUploadedFile(SAMPLE, None, len(content), None) as file:
            file.write(content)
            file.seek(0)
            schema_drafts.begin_from_sample(organisation=organisation, file=file, filename=SAMPLE, by=by)
    if not own.filter(dataset=dataset).exists():
        draft = schema_drafts.begin_for(dataset=dataset, by=by)
        schema_drafts.change(draft=draft, schema=_lower(draft.schema))
    yield f"drafts of schemas: {own.count()}"


def _lower(schema: dict[str, object]) -> dict[str, object]:
    fields = [
        {**field, "constraints": {**field["constraints"], "maximum": HIGHEST_ALLOWED}}
        if field["name"] == "elevation_ft"
        else field
        for field in schema["fields"]  # type: ignore[attr-defined]
    ]
    return {**schema, "fields": fields}


def _first(dataset: Dataset, filename: str) -> Upload:
    return Upload.objects.get(dataset=dataset, filename=filename, reprocesses=None)
