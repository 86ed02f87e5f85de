"""The index in PostgreSQL: words in a tsvector, letters by trigrams, values for sorting in typed columns."""

import datetime as dt
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection, transaction
from django.db.models.functions import Now

from ingestion import staging
from ingestion.models import SearchGeneration
from ingestion.search import folding, postgres_search, postgres_tables, values
from ingestion.search.kill_points import GENERATION_WRITTEN, SWAP_AFTER, SWAP_BEFORE, SWAP_BEFORE_COMMIT
from ingestion.search.protocol import (
    Digest,
    Document,
    Field,
    Generation,
    GenerationGone,
    Hits,
    Outcome,
    Query,
    term_sql,
)
from work import crash

State = SearchGeneration.State
T = TypeVar("T")
LONGEST_LETTERS = 500_000
TEXT_TOO_LONG = "text_too_long"
VALUE_NOT_INDEXABLE = "value_not_indexable"
NO_SUCH_TABLE = "42P01"
LIMIT_OR_DATA = ("54", "22")
SEARCHES_END = dt.timedelta(minutes=2)
"""Old tables outlive their swap for so long: a search that has begun there ends there."""

UPSERT = """
INSERT INTO {table} AS t (id, version, deleted, words, letters{names})
SELECT id, version, deleted, words::tsvector, letters{names}
FROM json_to_recordset(%s::json) AS d (
  id bigint, version bigint, deleted boolean, words text, letters text{typed})
ORDER BY id
ON CONFLICT (id) DO UPDATE SET version = excluded.version, deleted = excluded.deleted,
  words = excluded.words, letters = excluded.letters{sets}
WHERE t.version < excluded.version
RETURNING id
"""
JSON_TYPES = {
    "text": "text",
    "number": "numeric",
    "date": "date",
    "moment": "timestamptz",
    "boolean": "boolean",
}
DIGEST = """
SELECT count(*), coalesce(sum({term}), 0)::numeric FROM {table}
WHERE NOT deleted AND NOT (id = ANY(%s::bigint[]))
"""
STANDING = "SELECT id, version FROM {table} WHERE id = ANY(%s)"
VERSIONS = "SELECT id, version FROM {table} WHERE NOT deleted AND id > %s ORDER BY id LIMIT %s"


class PostgresIndex:
    """See `protocol.SearchIndex`."""

    def open(self, dataset: Any, fields: Sequence[Field]) -> Generation:
        while (live := self.live(dataset)) is None:
            with suppress(IntegrityError), transaction.atomic():
                made = self._make(dataset, fields, State.LIVE)
                postgres_tables.make_indexes(made.pk, fields)
        return live

    def live(self, dataset: Any) -> Generation | None:
        found = SearchGeneration.objects.filter(dataset=dataset, state=State.LIVE).first()
        return _generation(found) if found else None

    def apply(self, dataset: Any, documents: Sequence[Document]) -> list[Outcome]:
        """The live one last: what it says was done is done everywhere."""
        outcomes = [Outcome(each.id, "older") for each in documents]
        written = SearchGeneration.objects.filter(dataset=dataset).exclude(state=State.OLD)
        for row in sorted(written, key=lambda row: row.state == State.LIVE):
            with suppress(GenerationGone):  # swapped out meanwhile: nobody searches it any more
                outcomes = self._write(_generation(row), documents)
            crash.point(GENERATION_WRITTEN)
        return outcomes

    def settle(self, dataset: Any) -> None:
        live = self.live(dataset)
        if live is not None:
            with suppress(GenerationGone), _gone():
                postgres_tables.analyse(int(live.key))

    def search(self, dataset: Any, query: Query) -> Hits:
        return self._of_live(
            dataset, lambda live: postgres_search.search(int(live.key), live.fields, query), Hits([])
        )

    def begin_rebuild(self, dataset: Any, fields: Sequence[Field]) -> Generation:
        with transaction.atomic():
            return _generation(self._make(dataset, fields, State.FILLING))

    def rebuilds(self) -> list[Generation]:
        return [_generation(row) for row in SearchGeneration.objects.filter(state=State.FILLING)]

    def fill(self, generation: str, documents: Sequence[Document]) -> list[Outcome]:
        return self._write(_generation(self._find(generation)), documents)

    def swap(self, generation: str) -> None:
        row = self._find(generation)
        if row.state == State.LIVE:
            return
        fields = _fields(row)
        with _gone():
            postgres_tables.make_indexes(row.pk, fields)
            postgres_tables.analyse(row.pk)
        crash.point(SWAP_BEFORE)
        with transaction.atomic():
            SearchGeneration.objects.filter(dataset=row.dataset_id, state=State.LIVE).update(
                state=State.OLD, old_since=Now()
            )
            moved = SearchGeneration.objects.filter(pk=row.pk, state=State.FILLING).update(state=State.LIVE)
            if not moved:
                raise GenerationGone(generation)
            crash.point(SWAP_BEFORE_COMMIT)
        crash.point(SWAP_AFTER)

    def abandon(self, generation: str) -> None:
        SearchGeneration.objects.filter(pk=_number(generation), state=State.FILLING).update(
            state=State.OLD, old_since=Now()
        )

    def remove_old(self) -> int:
        old = SearchGeneration.objects.filter(state=State.OLD, old_since__lt=Now() - SEARCHES_END)
        removed = 0
        for row in old:
            with transaction.atomic():
                postgres_tables.drop(row.pk)
                row.delete()
            removed += 1
        return removed

    def digest(self, dataset: Any, *, leaving_out: Collection[int] = ()) -> Digest:
        def read(live: Generation) -> Digest:
            table = postgres_tables.name(live.key)
            statement = DIGEST.format(table=table, term=term_sql(id="id", version="version"))
            count, total = staging.rows(statement, [list(leaving_out)])[0]
            return Digest(count, int(total))

        return self._of_live(dataset, read, Digest(0, 0))

    def versions(self, dataset: Any, *, after: int, limit: int) -> list[tuple[int, int]]:
        def read(live: Generation) -> list[tuple[int, int]]:
            statement = VERSIONS.format(table=postgres_tables.name(live.key))
            return staging.rows(statement, [after, limit])

        return self._of_live(dataset, read, [])

    def _of_live(self, dataset: Any, read: Callable[[Generation], T], nothing: T) -> T:
        """Once more when the generation was removed between looking it up and reading it."""
        for _ in range(3):
            live = self.live(dataset)
            if live is None:
                return nothing
            with suppress(GenerationGone), _gone():
                return read(live)
        raise GenerationGone(str(dataset))

    def _make(self, dataset: Any, fields: Sequence[Field], state: State) -> SearchGeneration:
        row = SearchGeneration.objects.create(
            dataset_id=getattr(dataset, "pk", dataset),
            state=state,
            fields=[[field.name, field.kind] for field in fields],
        )
        postgres_tables.create(row.pk, fields)
        return row

    def _find(self, generation: str) -> SearchGeneration:
        row = SearchGeneration.objects.exclude(state=State.OLD).filter(pk=_number(generation)).first()
        if row is None:
            raise GenerationGone(generation)
        return row

    def _write(self, generation: Generation, documents: Sequence[Document]) -> list[Outcome]:
        newest: dict[int, Document] = {}
        for document in sorted(documents, key=lambda each: each.version):
            newest[document.id] = document
        refused: dict[int, str] = {}
        lines = [_line_or_tombstone(document, generation, refused) for document in newest.values()]
        applied = _insert(generation, lines, refused)
        refused = _still_refused(generation, newest, refused)
        said: list[Outcome] = []
        for document in documents:
            if newest[document.id] is not document:
                said.append(Outcome(document.id, "older"))
            elif document.id in refused:
                said.append(Outcome(document.id, "refused", refused[document.id]))
            else:
                said.append(Outcome(document.id, "applied" if document.id in applied else "older"))
        return said


def _line_or_tombstone(document: Document, generation: Generation, refused: dict[int, str]) -> Any:
    line = _line(document, generation.fields)
    if not isinstance(line, str):
        return line
    refused[document.id] = line
    return _tombstone(document.id, document.version, generation)


def _tombstone(id: int, version: int, generation: Generation) -> Any:
    """Of a document that was refused: what stood before it is found no more, and the document itself can be
    tried again."""
    return _line(Document(id, version - 1, None), generation.fields)


def _still_refused(
    generation: Generation, newest: dict[int, Document], refused: dict[int, str]
) -> dict[int, str]:
    """Without those that a newer version has overtaken."""
    if not refused:
        return refused
    with _gone():
        statement = STANDING.format(table=postgres_tables.name(generation.key))
        standing = dict(staging.rows(statement, [list(refused)]))
    return {id: reason for id, reason in refused.items() if standing.get(id, 0) < newest[id].version}


def _line(document: Document, fields: Sequence[Field]) -> Any:
    """The columns of its row; or the reason why it cannot be one."""
    if document.data is None:
        return (document.id, document.version, True, None, None, *[None] * len(fields))
    texts = folding.texts_of(document.data)
    letters = folding.BETWEEN_VALUES.join(texts)
    if len(letters) > LONGEST_LETTERS:
        return TEXT_TOO_LONG
    words = folding.placed_words(texts)
    sorted_by = [values.typed(field.kind, document.data.get(field.name)) for field in fields]
    return (document.id, document.version, False, words, letters, *sorted_by)


def _insert(generation: Generation, lines: list[Any], refused: dict[int, str]) -> set[int]:
    """Ids of the rows that were written. A row that the database refuses is found by halving, and written as
    a tombstone."""
    if not lines:
        return set()
    try:
        with _gone(), transaction.atomic():
            return {row[0] for row in staging.rows(_upsert(generation), [_as_json(lines, generation)])}
    except (DataError, OperationalError) as error:
        if not (_sqlstate(error) or "").startswith(LIMIT_OR_DATA):
            raise
        if len(lines) == 1:
            id, version = lines[0][:2]
            refused[id] = VALUE_NOT_INDEXABLE
            return _insert(generation, [_tombstone(id, version, generation)], refused)
    half = len(lines) // 2
    return _insert(generation, lines[:half], refused) | _insert(generation, lines[half:], refused)


def _upsert(generation: Generation) -> str:
    columns = [postgres_tables.column(number) for number in range(len(generation.fields))]
    return UPSERT.format(
        table=postgres_tables.name(generation.key),
        names="".join(f", {column}" for column in columns),
        typed="".join(
            f", {column} {JSON_TYPES[field.kind]}"
            for column, field in zip(columns, generation.fields, strict=True)
        ),
        sets="".join(f", {column} = excluded.{column}" for column in columns),
    )


def _as_json(lines: list[Any], generation: Generation) -> str:
    """One text for all rows: an array per column took twice as long to write and to read."""
    fields = [postgres_tables.column(number) for number in range(len(generation.fields))]
    names = ("id", "version", "deleted", "words", "letters", *fields)
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    return json.dumps(rows, default=str, ensure_ascii=False, separators=(",", ":"))


def _generation(row: SearchGeneration) -> Generation:
    return Generation(str(row.pk), row.dataset_id, _fields(row))


def _fields(row: SearchGeneration) -> tuple[Field, ...]:
    return tuple(Field(name, kind) for name, kind in row.fields)


def _number(generation: str) -> int:
    return int(generation) if generation.isdecimal() else 0


@contextmanager
def _gone() -> Iterator[None]:
    """A table that is not there: its generation was removed. A transaction around it goes on."""
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            yield
    except ProgrammingError as error:
        if _sqlstate(error) != NO_SUCH_TABLE:
            raise
        raise GenerationGone from error


def _sqlstate(error: Exception) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)
