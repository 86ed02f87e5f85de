"""Mending in place: the grid's rows, sending them once, and what a newer upload has written meanwhile."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from ingestion import stories
from ingestion.models import Record, Upload
from tests.factories import DatasetFactory, MembershipFactory
from tests.ingestion.conftest import work_on
from work import storage

pytestmark = pytest.mark.django_db(transaction=True)
FILE = "id,amount,note\n007,x,a\n008,2,\n009,y,\n"
FIELDS = [{"name": "id"}, {"name": "amount", "type": "integer"}, {"name": "note"}]
NONCE = "0197f3a2-0000-7000-8000-000000000001"


@pytest.fixture(params=[["id"], None], ids=["keyed", "keyless"])
def into(request, north):
    schema = {"fields": FIELDS} | ({"primaryKey": request.param} if request.param else {})
    return DatasetFactory(organisation=north, schema=schema)


@pytest.fixture
def upload(process, into):
    return process(FILE, into=into)


@pytest.fixture
def post(client, manager, upload):
    client.force_login(manager)

    def post(edits=None, **fields):
        data = {"nonce": NONCE, **fields}
        if edits is not None:
            data["edits"] = edits if isinstance(edits, str) else json.dumps(edits)
        return client.post(reverse("upload_mend", args=[upload.pk]), data)

    return post


def sent(answer):
    assert answer.status_code == 302
    return Upload.objects.get(pk=answer.url.split("/")[2])


def content(upload):
    with storage.files().open(upload.storage_key) as file:
        return file.read().decode("utf-8-sig")


def test_rows_are_given_with_what_is_wrong_with_which_cell(client, manager, upload):
    client.force_login(manager)

    data = client.get(reverse("upload_mend_rows", args=[upload.pk])).json()

    assert [column["header"] for column in data["columns"]] == ["id", "amount", "note"]
    assert [(row["row"], row["cells"]) for row in data["rows"]] == [
        (2, ["007", "x", "a"]),
        (4, ["009", "y", ""]),
    ]
    (error,) = data["rows"][0]["errors"]
    assert (error["place"], error["code"]) == (1, "type_integer")
    assert error["said"].startswith("“x” is not a whole number.")


def test_changed_rows_are_a_new_linked_upload_exactly_as_typed(post, upload):
    new = sent(post({"2": {"1": " 7", "2": '=1+1,"x"\nb'}}))

    assert (new.mends, new.story, new.filename) == (upload, upload, "stations - mended.csv")
    heading = f"Row in the original file [waybill {upload.pk}]"
    head = f'"id","amount","note","{heading}","Left to a newer file [waybill]"'
    assert content(new) == f'{head}\r\n"007"," 7","=1+1,""x""\nb","2",""\r\n'
    new = work_on(new)
    assert (new.state, new.mended) == ("processed", 1)
    assert Record.objects.get(data__id="007").data == {"id": "007", "amount": 7, "note": '=1+1,"x"\nb'}
    story = stories.of(upload)
    assert (story.stored, story.mended, story.left) == (1, 1, 1)


def test_pressed_twice_it_is_one_upload(post, upload):
    first, second = sent(post({"2": {"1": "7"}})), sent(post({"2": {"1": "7"}}))

    assert first == second
    assert upload.chapters.count() == 1


def test_plain_form_sends_what_differs_from_what_was_shown(post):
    fields = {"shown": ["2", "4"], "cell-2-0": "007", "cell-2-1": "7", "cell-2-2": "a", "cell-4-0": "009"}

    new = sent(post(**fields, **{"cell-4-1": "y", "cell-4-2": ""}))

    assert content(new).count("\r\n") == 2
    assert work_on(new).mended == 1


@pytest.mark.parametrize(
    "edits", [{}, {"3": {"1": "7"}}, {"99": {"1": "7"}}, {"2": {}}], ids=["none", "clean", "unknown", "empty"]
)
def test_nothing_to_send_is_said(post, upload, edits):
    answer = post(edits)

    assert answer.status_code == 422
    assert "Nothing was changed yet" in answer.content.decode()
    assert upload.chapters.count() == 0


@pytest.mark.parametrize(
    "edits",
    ["[", "[]", '{"2": 1}', '{"2": {"1": 5}}', '{"2": {"9": "x"}}', '{"x": {"1": "x"}}', '{"2": {"-1": "x"}}',
     json.dumps({"2": {"1": "x" * 40_000}}), "[" * 100_000],
    ids=["cut", "list", "number", "no text", "no column", "no row", "negative", "long", "deep"],
)  # fmt: skip
def test_what_no_grid_sends_is_refused_with_a_sentence(post, upload, edits):
    answer = post(edits)

    assert answer.status_code == 422
    assert "are not rows of this file" in answer.content.decode()
    assert upload.chapters.count() == 0


def test_row_that_a_newer_upload_has_written_is_shown_and_sent_only_when_decided(post, process, upload, into):
    if not into.schema_versions.get().schema.get("primaryKey"):
        sent_meanwhile = sent(post({"2": {"1": "1"}}, nonce=NONCE.replace("1", "2")))
        work_on(sent_meanwhile)
    else:
        process("id,amount,note\n007,1,newer\n", into=into)
    edits = {"2": {"1": "7"}, "4": {"1": "9"}}

    asked = post(edits)
    undecided = post(edits, **{"row-2": "perhaps"})
    new = work_on(sent(post(edits, **{"row-2": "theirs"})))

    assert asked.status_code == undecided.status_code == 200
    text = asked.content.decode()
    assert "One of these rows was written meanwhile" in text
    assert "Which shall stand in row 2?" in text
    assert "Which shall stand in row 4?" not in text
    assert "Not every row is decided yet." in undecided.content.decode()
    assert (new.state, new.superseded, new.inserted) == ("processed", 1, 1)
    assert Record.objects.get(data__id="007").data["amount"] == 1
    assert stories.of(upload).left == 0


def test_mine_is_stored_over_a_newer_value_when_a_person_says_so(post, process, upload, into):
    process("id,amount,note\n007,1,newer\n", into=into)

    new = work_on(sent(post({"2": {"1": "7"}}, **{"row-2": "mine"})))

    assert new.mended == 1
    assert Record.objects.filter(data__id="007", data__amount=7, data__note="a").count() == 1


def test_upload_without_rows_to_mend_has_no_such_page(client, manager, process, into):
    client.force_login(manager)
    clean = process("id,amount,note\n1,1,a\n", into=into)

    assert client.get(reverse("upload_mend", args=[clean.pk])).status_code == 404
    assert client.get(reverse("upload_mend_rows", args=[clean.pk])).status_code == 404


def test_stranger_is_told_nothing(client, upload):
    client.force_login(MembershipFactory().user)

    for name in ("upload_mend", "upload_mend_rows"):
        assert client.get(reverse(name, args=[upload.pk])).status_code == 404
        assert client.post(reverse(name, args=[upload.pk])).status_code in (404, 405)


def test_more_rows_than_go_at_once_come_in_parts_and_by_rule(client, manager, into, process, monkeypatch):
    monkeypatch.setattr("ingestion.mending_pages.ROWS_AT_ONCE", 2)
    fields = [
        {"name": "id"},
        {"name": "amount", "type": "integer"},
        {"name": "note", "constraints": {"required": True}},
    ]
    into = DatasetFactory(organisation=into.organisation, schema={"fields": fields})
    upload = process("id,amount,note\na,x,n\nb,y,n\nc,1,\nd,z,n\n", into=into)
    client.force_login(manager)
    page, rows = (reverse(name, args=[upload.pk]) for name in ("upload_mend", "upload_mend_rows"))

    first = client.get(page).content.decode()
    numbers = [
        [row["row"] for row in client.get(rows + query).json()["rows"]]
        for query in (
            "",
            "?after=3",
            "?rule=required+C",
            "?rule=type_integer+B&after=3",
            "?after=x&rule=none",
        )
    ]

    assert "2 of 4 rows are at hand" in first
    assert 'href="?after=3"' in first
    assert numbers == [[2, 3], [4, 5], [4], [5], []]


def test_page_of_every_file_of_the_chain_tells_one_story(client, manager, upload, post):
    new = work_on(sent(post({"2": {"1": "7"}})))

    for one in (upload, new):
        text = client.get(reverse("upload", args=[one.pk])).content.decode()
        assert "1 of 3 rows are stored, 1 mended, 1 left" in text
        assert "The files of this story" in text
        assert reverse("upload_mend", args=[upload.pk]) in text


def test_file_sent_from_the_page_of_an_upload_mends_it(client, manager, process, north):
    into = DatasetFactory(organisation=north, schema={"fields": FIELDS, "primaryKey": ["id"]})
    other = DatasetFactory(organisation=north, schema={"fields": FIELDS, "primaryKey": ["id"]})
    upload = process(FILE, into=into)
    client.force_login(manager)
    page = client.get(reverse("upload_new"), {"dataset": into.slug, "mends": str(upload.pk)})
    assert f'name="mends" value="{upload.pk}"' in page.content.decode()
    assert "joins that file again" in page.content.decode()

    def send(dataset, nonce):
        file = SimpleUploadedFile("again.csv", b"id,amount,note\n007,7,a\n")
        data = {"nonce": nonce, "mends": str(upload.pk), "dataset": str(dataset.pk), "file": file}
        return sent(client.post(reverse("upload_new"), data))

    assert work_on(send(into, NONCE)).mended == 1
    assert send(other, NONCE.replace("1", "2")).mends is None
