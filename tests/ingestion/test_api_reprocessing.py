"""Reading again by the API, by the shell, and what two verdicts differ in."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ingestion.models import SchemaVersion, Upload
from tests.ingestion.conftest import work_on

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = {
    "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
    "primaryKey": ["id"],
}


@pytest.fixture
def processed(send):
    return work_on(Upload.objects.get(pk=send().json()["id"]))


@pytest.fixture
def ask(api, processed):
    def ask(body=None, upload=processed, **headers):
        return api(
            "post", f"/uploads/{upload.pk}/reprocess", data=json.dumps(body or {}),
            content_type="application/json", headers=headers,
        )  # fmt: skip

    return ask


def test_answer_is_accepted_with_the_new_upload(ask, processed):
    answer = ask({"why": "a new schema"})

    body = answer.json()
    assert answer.status_code == 202
    assert answer["Location"] == body["status_url"] == f"/api/v1/uploads/{body['id']}"
    assert int(answer["Retry-After"]) > 0
    assert (body["status"], body["reprocesses"], body["already_accepted"]) == (
        "accepted",
        str(processed.pk),
        False,
    )


def test_key_is_honoured(ask):
    first, second = (ask(**{"Idempotency-Key": "k"}).json() for _ in range(2))

    assert first["id"] == second["id"]
    assert (first["already_accepted"], second["already_accepted"]) == (False, True)


def test_no_body_is_needed(api, processed):
    answer = api("post", f"/uploads/{processed.pk}/reprocess", data="", content_type="application/json")

    assert answer.status_code == 202


def test_trial_is_asked_in_the_body(ask):
    assert Upload.objects.get(pk=ask({"dry_run": True}).json()["id"]).dry_run


def test_unfinished_upload_is_refused_with_its_state(ask, send):
    waiting = Upload.objects.get(pk=send(b"id,amount\nz,1\n").json()["id"])

    answer = ask(upload=waiting)

    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["state"]) == ("not_reprocessable", "accepted")


def test_differences_name_counts_rules_rows_and_records(api, ask, processed, stations):
    SchemaVersion.objects.create(dataset=stations, number=2, schema=TEXTS)
    again = work_on(Upload.objects.get(pk=ask().json()["id"]))

    body = api("get", f"/uploads/{again.pk}/differences").json()

    assert (body["before"]["id"], body["after"]["id"]) == (str(processed.pk), str(again.pk))
    assert (body["before"]["schema_version"], body["after"]["schema_version"]) == (1, 2)
    assert {"name": "refused", "before": 2, "after": 1} in body["counts"] or body["after"][
        "status"
    ] == "processed"
    assert body["newly_accepted"] == processed.refused - again.refused
    assert body["changed_records"] == [
        {"key": '["a"]', "version": 1, "values": [{"field": "amount", "before": 1, "after": "1"}]}
    ]
    accepted = api("get", f"/uploads/{again.pk}/differences?rows=newly_accepted").json()
    assert [item["row"] for item in accepted["items"]][:1] == [3]
    turned = api("get", f"/uploads/{processed.pk}/differences?against={again.pk}").json()
    assert turned["newly_refused"] == body["newly_accepted"]


@pytest.mark.parametrize(
    ("against", "status", "code"),
    [
        ("", 409, "nothing_to_compare"),
        ("?against=0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1", 404, "upload_not_found"),
    ],
)
def test_nothing_to_compare_with(api, processed, against, status, code):
    answer = api("get", f"/uploads/{processed.pk}/differences{against}")

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_shell_reads_again_and_says_that_it_is_not_done(processed):
    out = StringIO()

    call_command("reprocess", str(processed.pk), why="by hand", stdout=out, skip_checks=True)

    made = Upload.objects.get(reprocesses=processed)
    assert out.getvalue() == (
        f"stations.csv was accepted to be read again, as {made.pk}. It is not processed yet.\n"
    )
    again = StringIO()
    call_command("reprocess", str(processed.pk), "--json", stdout=again, skip_checks=True)
    assert json.loads(again.getvalue())["id"] == str(made.pk)


def test_shell_goes_on_past_what_cannot_be_read_again(processed, send):
    waiting = send(b"id,amount\nz,1\n").json()["id"]
    said = StringIO()

    with pytest.raises(CommandError, match="1 of 2"):
        call_command(
            "reprocess", waiting, str(processed.pk), stdout=StringIO(), stderr=said, skip_checks=True
        )

    assert f"{waiting}: The upload is accepted" in said.getvalue()
    assert Upload.objects.filter(reprocesses=processed).exists()
