"""What every index behind `SearchIndex` must do. Subclass it, and give it an `index` and two `datasets`."""

import datetime as dt

import pytest

from ingestion.search import values
from ingestion.search.protocol import (
    BadCursor,
    Condition,
    Digest,
    Document,
    Field,
    GenerationGone,
    Outcome,
    Query,
    UnknownField,
    term,
)

FIELDS = (
    Field("name", "text"), Field("amount", "number"), Field("opened", "date"), Field("read", "moment"),
    Field("open", "boolean"),
)  # fmt: skip


def record(id, version=2, **data):
    return Document(id, version, {"name": f"Station {id}", **data})


class SearchIndexContract:
    @pytest.fixture
    def dataset(self, index, datasets):
        index.open(datasets[0], FIELDS)
        return datasets[0]

    @pytest.fixture
    def find(self, index, dataset):
        return lambda text="", **how: index.search(dataset, Query(text=text, **how)).ids

    def test_dataset_that_was_never_opened_holds_nothing(self, index, datasets):
        assert index.live(datasets[0]) is None
        assert index.search(datasets[0], Query(text="x")).ids == []
        assert index.digest(datasets[0]) == Digest(0, 0)
        assert index.versions(datasets[0], after=0, limit=10) == []

    def test_opening_again_gives_the_same_generation(self, index, dataset):
        assert index.open(dataset, ()) == index.live(dataset)
        assert index.live(dataset).fields == FIELDS

    def test_batch_answers_for_each_document(self, index, dataset):
        index.apply(dataset, [record(1, 4), record(2, 4)])

        outcomes = index.apply(dataset, [record(1, 3), record(2, 4), record(3, 2), record(2, 6)])

        assert [(each.id, each.status) for each in outcomes] == [
            (1, "older"), (2, "older"), (3, "applied"), (2, "applied"),
        ]  # fmt: skip

    def test_older_version_changes_nothing(self, index, dataset, find):
        index.apply(dataset, [record(1, 4, name="new")])
        index.apply(dataset, [record(1, 2, name="old")])

        assert find("new") == [1]
        assert find("old") == []

    def test_late_write_does_not_bring_a_deleted_document_back(self, index, dataset, find):
        index.apply(dataset, [record(1, 2)])
        assert index.apply(dataset, [Document(1, 5, None)]) == [Outcome(1, "applied")]

        assert index.apply(dataset, [record(1, 4)]) == [Outcome(1, "older")]
        assert find("station") == []
        assert index.apply(dataset, [record(1, 6)]) == [Outcome(1, "applied")]
        assert find("station") == [1]

    def test_tombstone_of_what_was_never_there_holds(self, index, dataset, find):
        index.apply(dataset, [Document(1, 5, None)])
        index.apply(dataset, [record(1, 4)])

        assert find() == []

    def test_document_that_is_refused_is_named_and_takes_no_other_with_it(self, index, dataset, find):
        index.apply(dataset, [record(2, 2, name="before")])
        huge = " ".join(f"w{number}" for number in range(200_000))

        outcomes = index.apply(dataset, [record(1), record(2, 4, name=huge), record(3)])

        assert [each.status for each in outcomes] == ["applied", "refused", "applied"]
        assert outcomes[1].reason
        assert find("station") == [1, 3]
        assert find("before") == []
        assert index.apply(dataset, [record(2, 4, name=huge)])[0].status == "refused"
        assert index.apply(dataset, [record(2, 4, name="short")])[0].status == "applied"
        assert index.apply(dataset, [record(2, 2, name=huge)])[0].status == "older"

    @pytest.mark.parametrize(
        ("text", "is_found"),
        [
            ("kraków", True), ("KRAKOW", True), ("rako", True), ("łódź krakow", True), ("lodz", True),
            ("ab-12/7", True), ("12/7", True), ("AB-12/8", False), ("b-12", True), ("7", True),
            ('"nowa huta"', True), ('"huta nowa"', False), ("“nowa huta”", True), ('"now huta"', False),
            ('"huta krakow"', False), ("z", False), ("ul", True), ("u", True), ("l", True), ("u nowa", False),
            ("100%", True), ("1_0", False), ("%", False), ("a.b\\c", True), ("", True), ("   ", True),
            ("--", False),
            ("nowa - huta", True), ("true", True), ("3.5", True), ("İstanbul", True), ("istanbul", True),
            ("strasse", True), ("x'); drop", False), ("':*", False),
            ('"', False), ('""', False), ("\x00kra", True),
        ],
    )  # fmt: skip
    def test_words_letters_and_phrases_are_found(self, index, dataset, find, text, is_found):
        values = (
            "Kraków",
            "Łódź",
            "AB-12/7",
            "ul. Nowa Huta",
            "100%",
            "a.b\\c",
            True,
            3.5,
            "İSTANBUL",
            "Straße",
        )
        index.apply(dataset, [Document(1, 2, {str(at): value for at, value in enumerate(values)})])
        index.apply(dataset, [record(2, name="something else", amount=None)])

        assert (1 in find(text)) == is_found

    @pytest.mark.parametrize(
        ("sort", "ids"),
        [
            ("", [1, 2, 3, 4, 5]), ("amount", [3, 1, 2, 4, 5]), ("-amount", [4, 2, 1, 3, 5]),
            ("name", [2, 5, 1, 3, 4]), ("-name", [4, 3, 1, 5, 2]), ("opened", [2, 1, 3, 4, 5]),
            ("-opened", [1, 2, 5, 4, 3]),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("limit", [1, 2, 50])
    def test_order_is_that_of_the_type_and_pages_lead_through_it_both_ways(
        self, index, dataset, sort, ids, limit
    ):
        index.apply(dataset, [
            Document(1, 2, {"name": "b", "amount": 9, "opened": "2024-02-01"}),
            Document(2, 2, {"name": "Ą", "amount": 10, "opened": "0999-02-01"}),
            Document(3, 2, {"name": "c", "amount": -1.5, "opened": None}),
            Document(4, 2, {"name": "Ć x", "amount": 1e10}),
            Document(5, 2, {"name": "A", "amount": "not a number", "opened": "soon"}),
            Document(6, 3, None),
        ])  # fmt: skip

        forward, backward = walk(index, dataset, sort, limit)

        assert forward == ids
        assert backward == ids[: (len(ids) - 1) // limit * limit][::-1]

    @pytest.mark.parametrize(
        ("field", "operator", "value", "ids"),
        [
            ("amount", "is", "2", [2]), ("amount", "from", "2", [2, 3]), ("amount", "to", "2.5", [1, 2]),
            ("opened", "from", "2024-01-02", [2, 3]), ("opened", "is", "2024-01-01", [1]),
            ("read", "to", "2024-01-02", [1, 2]), ("read", "from", "2024-01-02T12:00:00", [2, 3]),
            ("open", "is", "true", [1, 3]), ("name", "is", "STATION 1", [1]),
            ("name", "from", "station 2", [2, 3]),
        ],
    )  # fmt: skip
    def test_conditions_compare_by_the_type(self, index, dataset, find, field, operator, value, ids):
        for id in (1, 2, 3):
            data = {
                "amount": id, "opened": f"2024-01-0{id}", "read": f"2024-01-0{id}T12:00:00", "open": id != 2,
            }  # fmt: skip
            index.apply(dataset, [record(id, **data)])
        kind = next(each.kind for each in FIELDS if each.name == field)
        condition = Condition(field, operator, values.asked(kind, value, is_end=operator == "to"))

        assert find(conditions=[condition]) == ids

    def test_conditions_and_text_narrow_each_other(self, index, dataset, find):
        index.apply(dataset, [record(1, amount=1), record(2, amount=1), record(3, amount=2)])

        assert find("station 2", conditions=[Condition("amount", "is", 1)]) == [2]

    def test_total_is_counted_up_to_a_bound(self, index, dataset):
        index.apply(dataset, [record(id) for id in range(1, 1_100)])

        assert index.search(dataset, Query(text="1017")).total == 1
        assert not index.search(dataset, Query(text="1017")).is_more
        assert index.search(dataset, Query(text="station")).is_more
        assert index.search(dataset, Query(text="station", count=False)).total == 0

    def test_unknown_fields_and_foreign_cursors_are_refused(self, index, dataset):
        index.apply(dataset, [record(id, amount=id) for id in range(1, 4)])
        cursor = index.search(dataset, Query(sort="amount", limit=1)).next_cursor

        with pytest.raises(UnknownField):
            index.search(dataset, Query(sort="nothing"))
        with pytest.raises(UnknownField):
            index.search(dataset, Query(conditions=[Condition("nothing", "is", 1)]))
        for wrong in ("x", "!", cursor[:-3], "bnVsbA", "W10", "WzEsMiwzLDRd"):
            with pytest.raises(BadCursor):
                index.search(dataset, Query(sort="amount", cursor=wrong))
        with pytest.raises(BadCursor):
            index.search(dataset, Query(sort="-amount", cursor=cursor))

    def test_datasets_never_see_each_other(self, index, dataset, datasets):
        other = datasets[1]
        index.open(other, FIELDS)
        index.apply(dataset, [record(1, name="ours")])
        index.apply(other, [record(1, name="theirs"), record(2, name="theirs")])

        assert index.search(dataset, Query(text="theirs")).ids == []
        assert index.search(other, Query(text="ours")).ids == []
        assert index.versions(dataset, after=0, limit=9) == [(1, 2)]

    def test_digest_counts_live_documents_in_any_order(self, index, dataset, datasets):
        index.open(datasets[1], FIELDS)
        index.apply(dataset, [record(1, 2), record(2, 4), record(3, 2), Document(4, 9, None)])
        for document in (record(3, 2), record(2, 4), record(1, 2)):
            index.apply(datasets[1], [document])

        assert index.digest(dataset) == Digest(3, term(1, 2) + term(2, 4) + term(3, 2))
        assert index.digest(dataset) == index.digest(datasets[1])
        assert index.digest(dataset, leaving_out=[2]) == Digest(2, term(1, 2) + term(3, 2))
        assert index.versions(dataset, after=1, limit=1) == [(2, 4)]

    def test_rebuild_is_not_searched_before_its_swap_and_takes_writes_meanwhile(self, index, dataset, find):
        index.apply(dataset, [record(1, 2, name="old"), record(2, 2, name="old")])

        made = index.begin_rebuild(dataset, (Field("amount", "number"),))
        index.fill(made.key, [record(1, 2, name="filled", amount=1)])
        index.apply(
            dataset, [record(3, 2, name="meanwhile", amount=3), record(1, 4, name="written", amount=2)]
        )
        index.fill(made.key, [record(1, 2, name="late"), record(2, 2, name="filled")])

        assert find("filled") == []
        assert find("meanwhile") == [3]
        assert [each.key for each in index.rebuilds()] == [made.key]
        index.swap(made.key)
        index.swap(made.key)
        assert index.live(dataset) == made
        assert index.rebuilds() == []
        assert find("filled") == [2]
        assert find("meanwhile") == [3]
        assert find("written") == [1]
        assert find("late") == []
        assert find(sort="amount") == [1, 3, 2]
        with pytest.raises(UnknownField):
            find(sort="name")

    def test_rebuild_that_is_given_up_leaves_the_live_one(self, index, dataset, find):
        index.apply(dataset, [record(1)])
        made = index.begin_rebuild(dataset, FIELDS)

        index.abandon(made.key)

        for refused in (lambda: index.swap(made.key), lambda: index.fill(made.key, [record(1)])):
            with pytest.raises(GenerationGone):
                refused()
        index.abandon(index.live(dataset).key)
        assert find("station") == [1]

    def test_moments_are_compared_in_one_zone(self, index, dataset, find):
        index.apply(dataset, [
            record(1, read="2024-01-01T10:00:00+02:00"), record(2, read="2024-01-01T09:00:00Z"),
        ])  # fmt: skip

        assert find(sort="read") == [1, 2]
        asked = dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC)
        assert find(conditions=[Condition("read", "is", asked)]) == [1]

    def test_settling_changes_no_hit(self, index, dataset, find):
        index.apply(dataset, [record(1)])
        index.settle(dataset)

        assert find("station") == [1]


def walk(index, dataset, sort, limit):
    """Every id forwards to the end, then backwards from there."""
    forward, backward, cursor = [], [], ""
    while True:
        hits = index.search(dataset, Query(sort=sort, cursor=cursor, limit=limit))
        forward += hits.ids
        if hits.next_cursor is None:
            break
        cursor = hits.next_cursor
    while hits.previous_cursor is not None:
        hits = index.search(dataset, Query(sort=sort, cursor=hits.previous_cursor, limit=limit))
        backward += reversed(hits.ids)
    return forward, backward
