"""From a sample to a dataset, field by field; and to the next version of one, while others work on it too."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.principals import Principal
from ingestion import datasets
from ingestion.models import Dataset, SchemaDraft, SchemaVersion, Upload
from tests.factories import DatasetFactory, MembershipFactory
from tests.ingestion.views.conftest import HTMX, signed_in, text_of
from work import storage

pytestmark = pytest.mark.django_db
SAMPLE = "id;Größe;when\na;1,5;02/03/2024\nb;2;03/04/2024\n".encode()
SCHEMA = {
    "fields": [
        {
            "name": "id",
            "type": "string",
            "rdfType": "x:id",
            "constraints": {"required": True, "maxLength": 5.0},
        },
        {"name": "level", "title": "Level", "type": "integer", "constraints": {"enum": [1, 2]}, "example": 1},
        {"name": "share", "type": "number", "decimalChar": ",", "missingValues": ["", "-", "n/a"]},
        {"name": "open", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
        {"name": "day", "type": "date", "format": "%d.%m.%Y", "constraints": {"minimum": "01.01.2020"}},
    ],
    "primaryKey": "id",
    "missingValues": ["", "NULL"],
}


@pytest.fixture
def begin(as_manager, north):
    def begin(content=SAMPLE, name="wells 2024.csv"):
        data = {"organisation": north.pk, "file": SimpleUploadedFile(name, content),
                "nonce": "6f9619ff-8b86-4011-b42d-00cf4fc964ff"}  # fmt: skip
        return as_manager.post(reverse("schema_draft_sample"), data, follow=True)

    return begin


@pytest.fixture
def wells(north):
    return DatasetFactory(organisation=north, slug="wells", title="Wells", schema=SCHEMA)


@pytest.fixture
def draft(as_manager, wells):
    as_manager.post(reverse("dataset_schema_draft", args=["north", "wells"]))
    return SchemaDraft.objects.get()


def filled(answer):
    """What the form of the field holds, as a browser would send it again."""
    form = answer.context["form"]
    given = {bound.name: bound.value() for bound in form}
    ticked = {name: value for name, value in given.items() if value is not False}
    return ticked | {"revision": answer.context["draft"].revision}


@pytest.fixture
def edit(as_manager, draft):
    """Opens a field, changes what is named, and presses a button."""

    def edit(place, act="keep", **typed):
        opened = as_manager.get(reverse("schema_draft", args=[draft.pk]), {"field": place})
        data = {**filled(opened), **typed, "act": act}
        data = {name: value for name, value in data.items() if value is not None}
        return as_manager.post(reverse("schema_draft_field", args=[draft.pk, place]), data, follow=True)

    return edit


def schema_of(draft):
    draft.refresh_from_db()
    return draft.schema


def exact(schema):
    """With numbers as they are written; the database keeps no order of properties."""
    return json.dumps(schema, sort_keys=True)


def test_sample_becomes_a_draft_with_its_evidence(begin):
    answer = begin()

    shown = text_of(answer)
    draft = SchemaDraft.objects.get()
    assert answer.redirect_chain[0][0] == reverse("schema_draft", args=[draft.pk])
    assert "What wells 2024.csv says" in shown
    assert "Please look" in shown
    assert "1,5" in shown
    assert [field["type"] for field in draft.schema["fields"]] == ["string", "number", "date"]
    assert storage.files().exists(draft.sample_key)
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "The file is empty."), (b"%PDF-1.7", "This is a PDF document")]
)
def test_sample_that_cannot_be_read_is_refused_at_the_file(begin, content, says):
    answer = begin(content)

    assert answer.status_code == 422
    assert says in text_of(answer)
    assert not SchemaDraft.objects.exists()


def test_draft_is_saved_as_a_dataset_and_its_sample_sent(begin, as_manager):
    begin()
    draft = SchemaDraft.objects.get()
    saving = reverse("schema_draft_saving", args=[draft.pk])
    assert 'value="wells-2024"' in text_of(as_manager.get(saving))

    answer = as_manager.post(
        saving, {"title": "Wells", "slug": "wells", "locale": "de", "send_sample": "on"}, follow=True
    )

    made, upload = Dataset.objects.get(), Upload.objects.get()
    assert answer.redirect_chain[-1][0] == reverse("upload", args=[upload.pk])
    assert (made.slug, made.locale, upload.dataset, upload.filename) == (
        "wells",
        "de",
        made,
        "wells 2024.csv",
    )
    assert made.schema_versions.get().schema == draft.schema
    assert not SchemaDraft.objects.exists()


def test_saving_under_a_slug_that_is_taken_keeps_the_draft(begin, as_manager, stations):
    begin()
    draft = SchemaDraft.objects.get()

    answer = as_manager.post(
        reverse("schema_draft_saving", args=[draft.pk]), {"title": "x", "slug": "stations"}
    )

    assert answer.status_code == 422
    assert "There is a dataset stations already." in text_of(answer)
    assert SchemaDraft.objects.exists()


def test_draft_may_begin_with_no_column(as_manager, north):
    answer = as_manager.post(reverse("schema_draft_empty"), {"organisation": north.pk}, follow=True)
    draft = SchemaDraft.objects.get()
    assert "No column yet" in text_of(answer)

    as_manager.post(reverse("schema_draft_fields", args=[draft.pk]))

    assert schema_of(draft)["fields"] == [{"name": "field_1", "type": "string"}]


def test_draft_of_another_person_is_not_found(begin, north, as_operator):
    begin()
    colleague = signed_in(MembershipFactory(organisation=north, role="manager").user)
    draft = SchemaDraft.objects.get()

    for person in (colleague, as_operator):
        for name in ("schema_draft", "schema_draft_json", "schema_draft_saving"):
            assert person.get(reverse(name, args=[draft.pk])).status_code == 404


def test_manager_who_is_one_no_longer_may_not_go_on(begin, as_manager, manager):
    begin()
    manager.memberships.update(role="uploader")

    assert as_manager.get(reverse("schema_draft", args=[SchemaDraft.objects.get().pk])).status_code == 403


@pytest.mark.parametrize("place", range(5))
def test_field_that_is_kept_unchanged_stays_exactly_as_it_was(edit, draft, place):
    answer = edit(place)

    assert answer.status_code == 200
    assert exact(schema_of(draft)) == exact(SCHEMA)


@pytest.mark.parametrize(
    ("place", "typed", "made"),
    [
        (0, {"title": "Id"}, SCHEMA["fields"][0] | {"title": "Id"}),
        (0, {"max_length": ""}, {**SCHEMA["fields"][0], "constraints": {"required": True}}),
        (1, {"enum": "1\r\n2\r\n3"}, {**SCHEMA["fields"][1], "constraints": {"enum": [1, 2, 3]}}),
        (1, {"enum": "", "example": "2"},
         {"name": "level", "title": "Level", "type": "integer", "example": "2"}),
        (2, {"missing_values": "n/a", "decimal_char": ""},
         {"name": "share", "type": "number", "missingValues": ["", "n/a"]}),
        (2, {"with_symbols": "on", "maximum": "9.5"},
         {**SCHEMA["fields"][2], "bareNumber": False, "constraints": {"maximum": 9.5}}),
        (3, {"true_values": "", "false_values": ""}, {"name": "open", "type": "boolean"}),
        (4, {"format": "", "minimum": "2020-01-01"},
         {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01"}}),
        (3, {"type": "string", "min_length": "2"},
         {"name": "open", "type": "string", "constraints": {"minLength": 2}}),
    ],
)  # fmt: skip
def test_what_is_typed_becomes_the_field(edit, draft, place, typed, made):
    assert edit(place, **typed).status_code == 200

    assert schema_of(draft)["fields"][place] == made
    assert schema_of(draft)["missingValues"] == SCHEMA["missingValues"]


@pytest.mark.parametrize(
    ("place", "typed", "control"),
    [
        (0, {"name": ""}, "name"),
        (0, {"pattern": "("}, "pattern"),
        (1, {"minimum": "many"}, "minimum"),
        (1, {"enum": "1\nx"}, "enum"),
        (2, {"decimal_char": "5"}, "decimal_char"),
        (0, {"max_length": "some"}, "max_length"),
        (4, {"format": "%Q"}, "format"),
        (1, {"name": "share"}, "name"),
    ],
)
def test_error_stands_at_its_control_and_what_was_typed_is_kept(edit, draft, place, typed, control):
    answer = edit(place, **typed)

    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [control]
    assert answer.context["form"][control].value() == typed[control]
    assert schema_of(draft) == SCHEMA


def test_another_type_shows_its_own_properties_and_keeps_nothing_yet(edit, draft):
    answer = edit(0, "type", type="number", title="typed already")

    names = {bound.name for bound in answer.context["form"]}
    assert {"decimal_char", "minimum"} <= names
    assert "pattern" not in names
    assert answer.context["form"]["title"].value() == "typed already"
    assert schema_of(draft) == SCHEMA


def test_key_follows_a_new_name_and_the_tick(edit, draft):
    edit(0, name="code")
    assert schema_of(draft)["primaryKey"] == ["code"]
    edit(1, in_key="on")
    assert schema_of(draft)["primaryKey"] == ["code", "level"]
    edit(0, in_key=None)
    assert schema_of(draft)["primaryKey"] == ["level"]


def test_fields_move_and_go(edit, draft):
    def names():
        return [field["name"] for field in schema_of(draft)["fields"]]

    edit(0, "down")
    assert names() == ["level", "id", "share", "open", "day"]
    edit(4, "up")
    assert names() == ["level", "id", "share", "day", "open"]
    edit(1, "remove")
    assert names() == ["level", "share", "day", "open"]
    assert "primaryKey" not in schema_of(draft)


def test_other_window_does_not_undo_what_this_one_kept(as_manager, draft):
    address = reverse("schema_draft_field", args=[draft.pk, 0])
    stale = filled(as_manager.get(reverse("schema_draft", args=[draft.pk])))
    as_manager.post(address, {**stale, "title": "first", "act": "keep"})

    answer = as_manager.post(address, {**stale, "title": "second", "act": "keep"})

    assert answer.status_code == 422
    assert "changed in another window" in text_of(answer)
    assert answer.context["form"]["title"].value() == "second"
    assert schema_of(draft)["fields"][0]["title"] == "first"


def test_part_for_htmx_is_the_editor_alone(as_manager, draft):
    answer = as_manager.get(reverse("schema_draft", args=[draft.pk]), {"field": 1}, **HTMX)

    assert re.match(r'\s*<div class="stack" id="draft">', text_of(answer))


def test_json_is_taken_along_and_pasted_back_exactly(as_manager, draft):
    address = reverse("schema_draft_json", args=[draft.pk])
    taken = as_manager.get(address, {"download": "1"})
    assert taken.headers["Content-Disposition"].startswith("attachment")
    assert json.loads(taken.content) == SCHEMA

    answer = as_manager.post(address, {"schema": taken.content.decode(), "revision": draft.revision})

    assert answer.status_code == 302
    assert exact(schema_of(draft)) == exact(SCHEMA)


@pytest.mark.parametrize("text", ["{", "[]", '{"fields": 5}', '{"fields": [{"name": "a", "type": "x"}]}'])
def test_json_that_is_no_schema_stays_as_typed(as_manager, draft, text):
    answer = as_manager.post(
        reverse("schema_draft_json", args=[draft.pk]), {"schema": text, "revision": draft.revision}
    )

    assert answer.status_code == 422
    assert answer.context["form"]["schema"].value() == text
    assert schema_of(draft) == SCHEMA


def test_next_version_is_saved_after_its_differences_were_shown(as_manager, draft, edit, wells):
    edit(1, title="Stage", maximum="5")
    saving = reverse("schema_draft_saving", args=[draft.pk])
    shown = text_of(as_manager.get(saving))
    assert "Save as version 2" in shown
    assert re.search(r"title</td><td><span class=\"before\">Level</span></td><td>Stage", shown)

    answer = as_manager.post(saving, {"act": "save"}, follow=True)

    assert "The schema is at version 2." in text_of(answer)
    assert wells.schema_versions.latest("number").schema["fields"][1]["title"] == "Stage"
    assert not SchemaDraft.objects.exists()


def test_somebody_who_was_faster_is_named_and_the_draft_is_whole(as_manager, draft, edit, wells, manager):
    edit(0, title="Mine")
    theirs = {**SCHEMA, "fields": [*SCHEMA["fields"], {"name": "more", "type": "string"}]}
    colleague = MembershipFactory(
        organisation=wells.organisation, user__first_name="Mira", role="manager"
    ).user
    SchemaVersion.objects.create(dataset=wells, number=2, schema=theirs, made_by=colleague)
    saving = reverse("schema_draft_saving", args=[draft.pk])

    answer = as_manager.post(saving, {"act": "save"})

    assert answer.status_code == 422
    assert "Mira</b>" in text_of(answer) or "Mira made version 2" in text_of(answer)
    assert "new field" in text_of(answer)
    as_manager.post(saving, {"act": "rebase"})
    as_manager.post(saving, {"act": "save"})
    assert wells.schema_versions.latest("number").number == 3
    assert wells.schema_versions.latest("number").schema["fields"][0]["title"] == "Mine"


def test_draft_that_is_opened_again_is_the_same(as_manager, draft, edit):
    edit(0, title="Mine")

    as_manager.post(reverse("dataset_schema_draft", args=["north", "wells"]))

    assert SchemaDraft.objects.get().schema["fields"][0]["title"] == "Mine"


def test_draft_is_thrown_away_with_its_sample(begin, as_manager, django_capture_on_commit_callbacks):
    begin()
    draft = SchemaDraft.objects.get()

    with django_capture_on_commit_callbacks(execute=True):
        as_manager.post(reverse("schema_draft_removal", args=[draft.pk]))

    assert not SchemaDraft.objects.exists()
    assert not storage.files().exists(draft.sample_key)


def test_versions_tell_how_they_differ(as_uploader, manager, wells):
    day = {"name": "day", "type": "datetime"}
    changed = {**SCHEMA, "primaryKey": ["id", "day"], "fields": [*SCHEMA["fields"][:4], day]}
    datasets.change_schema(dataset=wells, schema=changed, if_match=1, by=Principal(manager))

    shown = text_of(as_uploader.get(reverse("schema_version", args=["north", "wells", 2])))

    assert "What differs from version 1" in shown
    assert re.search(r"key</td><td><span class=\"before\">id</span></td><td>id, day", shown)
    assert re.search(r"type</td><td><span class=\"before\">date</span></td><td>datetime", shown)
    assert as_uploader.get(reverse("schema_version", args=["north", "wells", 9])).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_saving_shows_what_the_change_means_for_the_records(as_manager, north, process, edit_of):
    dataset = DatasetFactory(organisation=north, slug="pegel")
    process("id,amount\na,1\nb,200\n", into=dataset)
    draft = edit_of(dataset, 1, maximum="100")

    shown = text_of(as_manager.get(reverse("schema_draft_saving", args=[draft.pk])))

    assert "1 of 2 records would be refused" in shown
    assert "200 is above 100, the most allowed." in shown


@pytest.fixture
def edit_of(as_manager):
    """A draft of the dataset with one field changed."""

    def edit_of(dataset, place, **typed):
        as_manager.post(reverse("dataset_schema_draft", args=["north", dataset.slug]))
        draft = SchemaDraft.objects.get(dataset=dataset)
        opened = as_manager.get(reverse("schema_draft", args=[draft.pk]), {"field": place})
        data = {**filled(opened), **typed, "act": "keep"}
        as_manager.post(reverse("schema_draft_field", args=[draft.pk, place]), data)
        return draft

    return edit_of


def test_field_refers_to_the_key_of_another_dataset(edit, draft, north, as_manager):
    DatasetFactory(organisation=north, slug="rivers", title="Rivers")
    DatasetFactory(slug="foreign")

    edit(1, refers_to="rivers:id")

    assert schema_of(draft)["foreignKeys"] == [
        {"fields": ["level"], "reference": {"resource": "rivers", "fields": ["id"]}}
    ]
    opened = as_manager.get(reverse("schema_draft", args=[draft.pk]), {"field": 1})
    offered = dict(opened.context["form"].fields["refers_to"].choices)
    assert offered == {"": "Nothing", "rivers:id": "Rivers: id"}
    edit(1, name="stage")
    assert schema_of(draft)["foreignKeys"][0]["fields"] == ["stage"]
    edit(1, refers_to="")
    assert "foreignKeys" not in schema_of(draft)
    assert edit(1, refers_to="foreign:id").status_code == 422
