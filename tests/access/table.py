"""Who may do what: every address, for every role. A new address must be added here, or the test fails.

Statuses stand in the order of ROLES. `sign` is the way to the sign-in page; `a/b` means either. Everything in
the table belongs to the organisation North, so the other tenant sees 404 wherever a thing of it is named.
"""

from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile


@dataclass(frozen=True)
class Row:
    name: str
    method: str
    thing: str
    statuses: tuple[str, ...]
    data: Any = None
    headers: dict[str, str] = field(default_factory=dict)


# What an address is about: (arguments of the address, query), made from the world.
THINGS = {
    "": lambda w: ({}, {}),
    "north": lambda w: ({}, {"organisation": "north"}),
    "of north": lambda w: ({"organisation": "north"}, {}),
    "member": lambda w: ({"organisation": "north", "member": w.member.pk}, {}),
    "token": lambda w: ({"organisation": "north", "token": w.token.pk}, {}),
    "upload": lambda w: ({"upload_id": w.upload.pk}, {}),
    "retiring": lambda w: ({"upload_id": w.retiring.pk}, {}),
    "asking": lambda w: ({"upload_id": w.asking.pk}, {}),
    "verdict": lambda w: ({"upload_id": w.verdict.pk}, {}),
    "read again": lambda w: ({"upload_id": w.read_again.pk}, {}),
    "to mend": lambda w: ({"upload_id": w.to_mend.pk}, {}),
    "dataset": lambda w: ({"slug": "stations"}, {"organisation": "north"}),
    "report": lambda w: ({"upload_id": w.verdict.pk, "kind": "csv"}, {}),
    "stations": lambda w: ({"organisation": "north", "slug": "stations"}, {}),
    "alias": lambda w: ({"organisation": "north", "slug": "stations", "alias": w.alias.pk}, {}),
    "version": lambda w: ({"organisation": "north", "slug": "stations", "number": 1}, {}),
    "draft": lambda w: ({"draft_id": w.draft.pk}, {}),
    "field": lambda w: ({"draft_id": w.draft.pk, "place": 0}, {}),
    "export": lambda w: ({"organisation": "north", "slug": "stations", "kind": "csv"}, {}),
    "reindex": lambda w: ({"reindex_id": w.reindex.pk}, {}),
    "slug north": lambda w: ({"slug": "north"}, {}),
    "record": lambda w: ({"organisation": "north", "slug": "stations", "record": w.record.pk}, {}),
    "record key": lambda w: ({"organisation": "north", "slug": "stations"}, {"key": "1"}),
    "api record": lambda w: ({"slug": "stations", "record": str(w.record.pk)}, {"organisation": "north"}),
    "event": lambda w: ({"pk": w.event.pk}, {}),
    "decision": lambda w: ({"pk": w.decision.pk}, {}),
    "notice": lambda w: ({"pk": w.notification.pk}, {}),
    "parked": lambda w: ({"pipeline": "upload", "pk": w.parked.pk}, {}),
    "letter": lambda w: ({"pk": w.letter.pk}, {}),
    "bulk": lambda w: ({"pk": w.bulk.pk}, {}),
    "withdraw": lambda w: ({"action": "upload.withdraw"}, {}),
    "reprocess": lambda w: ({"action": "upload.reprocess"}, {}),
    "replay": lambda w: ({"action": "delivery.replay"}, {}),
    "run": lambda w: ({"pk": w.run.pk}, {}),
    "recovery": lambda w: ({"name": "recovery"}, {}),
    "failure": lambda w: ({"fingerprint": "f1"}, {}),
    "uploads": lambda w: ({"name": "upload"}, {}),
    "help page": lambda w: ({"page": "states"}, {}),
    "help cells": lambda w: ({"page": "cells"}, {}),
    "reset link": lambda w: ({"uidb36": "1", "key": "x-y"}, {}),
}


def row(name: str, method: str, thing: str, statuses: str, data: Any = None, **headers: str) -> Row:
    return Row(name, method, thing, tuple(statuses.split()), data, headers)


def a_file(w):
    file = SimpleUploadedFile("stations.csv", b"id,amount\n1,2\n")
    return {"dataset": "stations", "file": file}


def a_sample(w):
    return {"file": SimpleUploadedFile("sample.csv", b"id,amount\n1,2\n")}


def an_answer(w):
    """Of a form whose fields were emptied."""
    return {"asked": w.asking.asked_at.isoformat(), "shown": "3 1 Data", "sheet": "Data", "header_row": "3"}


def chosen(w):
    return {"chosen": str(w.upload.pk)}


SCHEMA = {"fields": [{"name": "id", "type": "string"}], "primaryKey": ["id"]}
ANSWER = {"mapping": {"id": "A", "amount": None}}
NEW_TOKEN = {"title": "x", "role": "uploader"}
DATASET = {"slug": "new", "title": "New", "schema": SCHEMA}
PASSWORD = {"oldpassword": "x", "password1": "y", "password2": "z"}

# fmt: off
# ruff: noqa: E501 - a table is read by its columns
ROWS = [
    #   name                             method  thing         anon  other upl   man   oper  admin
    row("help",                          "GET",  "",           "200  200   200   200   200   200"),
    row("help_page",                     "GET",  "help page",  "200  200   200   200   200   200"),
    row("help_page",                     "GET",  "help cells", "200  200   200   200   200   200"),
    row("gallery",                       "GET",  "",           "200  200   200   200   200   200"),
    row("gallery_live",                  "GET",  "",           "200  200   200   200   200   200"),
    row("find",                          "GET",  "",           "sign 200   200   200   200   200"),

    # Signing in
    row("account_login",                 "GET",  "",           "200  302   302   302   302   302"),
    row("account_login",                 "POST", "",           "200  302   302   302   302   302", {"login": "x"}),
    row("account_logout",                "GET",  "",           "sign 200   200   200   200   200"),
    row("account_logout",                "POST", "",           "sign sign  sign  sign  sign  sign", {}),
    row("account_inactive",              "GET",  "",           "200  200   200   200   200   200"),
    row("account_reauthenticate",        "GET",  "",           "sign 200   200   200   200   200"),
    row("account_reauthenticate",        "POST", "",           "sign 200   200   200   200   200", {"password": "x"}),
    row("account_change_password",       "GET",  "",           "sign 200   200   200   200   200"),
    row("account_change_password",       "POST", "",           "sign 200   200   200   200   200", PASSWORD),
    row("account_reset_password",        "GET",  "",           "200  200   200   200   200   200"),
    row("account_reset_password",        "POST", "",           "302  302   302   302   302   302", {"email": "x@x.org"}),
    row("account_reset_password_done",   "GET",  "",           "200  200   200   200   200   200"),
    row("account_reset_password_from_key", "GET", "reset link", "200 200   200   200   200   200"),
    row("account_reset_password_from_key_done", "GET", "",     "200  200   200   200   200   200"),
    row("mfa_index",                     "GET",  "",           "sign 200   200   200   200   200"),
    row("mfa_authenticate",              "GET",  "",           "sign 302   302   302   302   302"),
    row("mfa_reauthenticate",            "GET",  "",           "sign 302   302   302   302   302"),
    row("mfa_activate_totp",             "GET",  "",           "sign 302   302   302   302   302"),
    row("mfa_deactivate_totp",           "GET",  "",           "sign 404   404   404   404   404"),
    row("mfa_view_recovery_codes",       "GET",  "",           "sign 404   404   404   404   404"),
    row("mfa_generate_recovery_codes",   "GET",  "",           "sign 302   302   302   302   302"),
    row("mfa_download_recovery_codes",   "GET",  "",           "sign 404   404   404   404   404"),

    # Accounts
    row("profile",                       "GET",  "",           "sign 200   200   200   200   200"),
    row("profile",                       "POST", "",           "sign 422   422   422   422   422", {"mailing": "x"}),
    row("profile_address",               "GET",  "",           "sign 302   302   302   302   302"),
    row("profile_address",               "POST", "",           "sign 302   302   302   302   302", {"email": "x"}),
    row("members",                       "GET",  "north",      "sign 404   403   200   200   200"),
    row("members",                       "GET",  "",           "sign 200   403   200   200   200"),
    row("member_new",                    "POST", "of north",   "sign 404   403   422   422   422", {"who": "nobody"}),
    row("member_role",                   "POST", "member",     "sign 404   403   302   302   302", {"role": "manager"}),
    row("member_removal",                "GET",  "member",     "sign 404   403   200   200   200"),
    row("member_removal",                "POST", "member",     "sign 404   403   302   302   302", {}),
    row("tokens",                        "GET",  "north",      "sign 404   403   200   200   200"),
    row("token_new",                     "POST", "of north",   "sign 404   403   200   200   200", NEW_TOKEN),
    row("token_revocation",              "GET",  "token",      "sign 404   403   200   200   200"),
    row("token_revocation",              "POST", "token",      "sign 404   403   302   302   302", {}),

    # Uploads and datasets
    row("uploads",                       "GET",  "",           "sign 200   200   200   200   200"),
    row("upload_new",                    "GET",  "",           "sign 200   200   200   200   200"),
    row("upload_new",                    "POST", "",           "sign 422   422   422   422   422", {}),
    row("upload",                        "GET",  "upload",     "sign 404   200   200   200   200"),
    row("upload",                        "GET",  "verdict",    "sign 404   200   200   200   200"),
    row("upload_answer",                 "GET",  "asking",     "sign 404   200   200   200   200"),
    row("upload_answer",                 "GET",  "retiring",   "sign 404   200   200   200   200"),
    row("upload_answer",                 "POST", "asking",     "sign 404   302   302   302   302", {}),
    row("upload_answer",                 "POST", "retiring",   "sign 404   302   302   302   302", {}),
    row("upload_answer",                 "POST", "asking",     "sign 404   422   422   422   422", an_answer),
    row("upload_storing",                "POST", "verdict",    "sign 404   302   302   302   302", {}),
    row("upload_cancellation",           "GET",  "upload",     "sign 404   200   200   200   200"),
    row("upload_cancellation",           "POST", "upload",     "sign 404   422   422   422   422", {}),
    row("upload",                        "GET",  "read again", "sign 404   200   200   200   200"),
    row("upload_reprocess",              "GET",  "verdict",    "sign 404   200   200   200   200"),
    row("upload_reprocess",              "POST", "verdict",    "sign 404   422   422   422   422", {}),
    row("upload_differences",            "GET",  "read again", "sign 404   200   200   200   200"),
    row("upload_original",               "GET",  "upload",     "sign 404   200   200   200   200"),
    row("upload_mend",                   "GET",  "to mend",    "sign 404   200   200   200   200"),
    row("upload_mend",                   "POST", "to mend",    "sign 404   302   302   302   302", {"edits": '{"2": {"1": "7"}}'}),
    row("upload_leave_out",              "GET",  "to mend",    "sign 404   200   200   200   200"),
    row("upload_leave_out",              "POST", "to mend",    "sign 404   302   302   302   302", {"row": "2", "why": "a total"}),
    row("upload_mend_rows",              "GET",  "to mend",    "sign 404   200   200   200   200"),
    row("upload_report",                 "GET",  "report",     "sign 404   200   200   200   200"),
    row("upload_report",                 "POST", "report",     "sign 404   302   302   302   302", {}),
    row("datasets",                      "GET",  "",           "sign 200   200   200   200   200"),
    row("dataset_new",                   "GET",  "",           "sign 200   403   200   200   200"),
    row("dataset_new",                   "POST", "",           "sign 422   403   422   422   422", {}),
    row("dataset",                       "GET",  "stations",   "sign 404   200   200   200   200"),
    row("dataset_schema",                "GET",  "stations",   "sign 404   403   200   200   200"),
    row("dataset_schema",                "POST", "stations",   "sign 404   403   422   422   422", {}),
    row("dataset_settings",              "GET",  "stations",   "sign 404   403   200   200   200"),
    row("dataset_settings",              "POST", "stations",   "sign 404   403   422   422   422", {}),
    row("dataset_schema_draft",          "POST", "stations",   "sign 404   403   302   302   302", {}),
    row("schema_version",                "GET",  "version",    "sign 404   200   200   200   200"),
    row("schema_draft_sample",           "POST", "",           "sign 422   403   422   422   422", {}),
    row("schema_draft_empty",            "POST", "",           "sign 422   403   422   422   422", {}),
    # A draft is its maker's alone.
    row("schema_draft",                  "GET",  "draft",      "sign 404   404   200   404   404"),
    row("schema_draft_fields",           "POST", "draft",      "sign 404   404   302   404   404", {}),
    row("schema_draft_field",            "POST", "field",      "sign 404   404   422   404   404", {}),
    row("schema_draft_json",             "GET",  "draft",      "sign 404   404   200   404   404"),
    row("schema_draft_json",             "POST", "draft",      "sign 404   404   422   404   404", {}),
    row("schema_draft_saving",           "GET",  "draft",      "sign 404   404   200   404   404"),
    row("schema_draft_saving",           "POST", "draft",      "sign 404   404   422   404   404", {}),
    row("schema_draft_removal",          "POST", "draft",      "sign 404   404   302   404   404", {}),
    row("dataset_template",              "GET",  "stations",   "sign 404   200   200   200   200"),
    row("dataset_alias_removal",         "GET",  "alias",      "sign 404   403   200   200   200"),
    row("dataset_alias_removal",         "POST", "alias",      "sign 404   403   302   302   302", {}),
    row("records",                       "GET",  "stations",   "sign 404   200   200   200   200"),
    row("record",                        "GET",  "record",     "sign 404   200   200   200   200"),
    row("record_find",                   "GET",  "record key", "sign 404   302   302   302   302"),
    row("records_export",                "GET",  "export",     "sign 404   200   200   200   200"),
    row("search_index",                  "GET",  "stations",   "sign 404   200   200   200   200"),
    row("search_index_rebuild",          "POST", "stations",   "sign 404   403   302   302   302", {}),
    row("search_parked_retry",           "POST", "stations",   "sign 404   403   403   302   302", {}),
    row("reindexes",                     "GET",  "",           "sign 200   200   200   200   200"),
    row("reindex",                       "GET",  "reindex",    "sign 404   200   200   200   200"),
    row("organisation_reindex",          "POST", "of north",   "sign 404   403   403   302   302", {}),

    # The console of every signed-in person, about their own organisations
    row("home",                          "GET",  "",           "sign 200   200   200   200   200"),
    row("attention",                     "GET",  "",           "sign 200   200   200   200   200"),
    row("attention_claim",               "POST", "",           "sign 400   400   400   400   400", {}),
    row("notifications",                 "GET",  "",           "sign 200   200   200   200   200"),
    row("notifications_read",            "POST", "",           "sign 302   302   302   302   302", {}),
    row("notification",                  "POST", "notice",     "sign 404   404   302   404   404", {}),
    row("events",                        "GET",  "",           "sign 200   200   200   200   200"),
    row("event",                         "GET",  "event",      "sign 404   200   200   200   200"),
    row("audit_trail",                   "GET",  "",           "sign 200   200   200   200   200"),
    row("decisions",                     "GET",  "",           "sign 200   200   200   200   200"),
    row("decision",                      "GET",  "decision",   "sign 404   200   200   200   200"),
    row("bulk",                          "GET",  "",           "sign 200   200   200   200   200"),
    row("bulk_action",                   "GET",  "bulk",       "sign 404   200   200   200   200"),
    row("bulk_cancellation",             "GET",  "bulk",       "sign 404   403   200   200   200"),
    row("bulk_cancellation",             "POST", "bulk",       "sign 404   403   422   422   422", {}),
    # Of another tenant's rows the preview counts none.
    row("bulk_preview",                  "POST", "withdraw",   "sign 200   200   200   200   200", chosen),
    row("bulk_preview",                  "POST", "reprocess",  "sign 200   200   200   200   200", chosen),
    row("bulk_preview",                  "POST", "replay",     "sign 403   403   403   200   200", chosen),
    row("bulk_confirmation",             "POST", "withdraw",   "sign 422   422   422   422   422", chosen),

    # The console of operators
    row("parked_row",                    "GET",  "parked",     "sign 403   403   403   200   200"),
    row("parked_retry",                  "GET",  "parked",     "sign 403   403   403   200   200"),
    row("parked_retry",                  "POST", "parked",     "sign 403   403   403   422   422", {}),
    row("parked_ending",                 "GET",  "parked",     "sign 403   403   403   200   200"),
    row("parked_ending",                 "POST", "parked",     "sign 403   403   403   422   422", {}),
    row("periodic_jobs",                 "GET",  "",           "sign 403   403   403   200   200"),
    row("periodic_job",                  "GET",  "recovery",   "sign 403   403   403   200   200"),
    row("periodic_start",                "GET",  "recovery",   "sign 403   403   403   200   200"),
    row("periodic_start",                "POST", "recovery",   "sign 403   403   403   422   422", {}),
    row("periodic_run",                  "GET",  "run",        "sign 403   403   403   200   200"),
    row("dead_letters",                  "GET",  "",           "sign 403   403   403   200   200"),
    row("dead_letter",                   "GET",  "letter",     "sign 403   403   403   200   200"),
    row("dead_letter_replay",            "GET",  "letter",     "sign 403   403   403   200   200"),
    row("dead_letter_replay",            "POST", "letter",     "sign 403   403   403   422   422", {}),
    row("dead_letter_discarding",        "GET",  "letter",     "sign 403   403   403   200   200"),
    row("dead_letter_discarding",        "POST", "letter",     "sign 403   403   403   422   422", {}),
    row("failures",                      "GET",  "",           "sign 403   403   403   200   200"),
    row("failure",                       "GET",  "failure",    "sign 403   403   403   200   200"),
    row("invariants",                    "GET",  "",           "sign 403   403   403   200   200"),
    row("invariants_quick_run",          "POST", "",           "sign 403   403   403   302   302", {}),
    row("invariants_deep_run",           "POST", "",           "sign 403   403   403   302   302", {}),
    row("health_panel",                  "GET",  "",           "sign 403   403   403   200   200"),
    row("health_line",                   "GET",  "",           "sign 403   403   403   200   200"),
    row("workers",                       "GET",  "",           "sign 403   403   403   200   200"),
    row("pipelines",                     "GET",  "",           "sign 403   403   403   200   200"),
    row("pipeline",                      "GET",  "uploads",    "sign 403   403   403   200   200"),
    row("pipeline_pause",                "GET",  "uploads",    "sign 403   403   403   200   200"),
    row("pipeline_pause",                "POST", "uploads",    "sign 403   403   403   422   422", {}),
    row("pipeline_resume",               "GET",  "uploads",    "sign 403   403   403   200   200"),
    row("pipeline_resume",               "POST", "uploads",    "sign 403   403   403   422   422", {}),

    # For machines
    row("healthz",                       "GET",  "",           "200  200   200   200   200   200"),
    row("readyz",                        "GET",  "",           "200  200   200   200   200   200"),
    row("healthz_workers",               "GET",  "",           "503  503   503   503   503   503"),  # none runs
    row("metrics",                       "GET",  "",           "401  401   401   401   200   200"),

    # The API
    row("api:openapi-json",              "GET",  "",           "200  200   200   200   200   200"),
    row("api:me",                        "GET",  "",           "401  200   200   200   200   200"),
    row("api:list_uploads",              "GET",  "",           "401  200   200   200   200   200"),
    row("api:accept",                    "POST", "north",      "401  404   202   202   202   202", a_file),
    row("api:get_upload",                "GET",  "upload",     "401  404   200   200   200   200"),
    row("api:cancel",                    "POST", "upload",     "401  404   200   200   200   200", {"why": "x"}),
    row("api:answer",                    "POST", "asking",     "401  404   200   200   200   200", ANSWER),
    row("api:reprocess",                 "POST", "verdict",    "401  404   202   202   202   202", {"why": "x"}),
    row("api:get_differences",           "GET",  "read again", "401  404   200   200   200   200"),
    row("api:list_errors",               "GET",  "upload",     "401  404   200   200   200   200"),
    row("api:get_original",              "GET",  "upload",     "401  404   200   200   200   200"),
    row("api:get_report_xlsx",           "GET",  "verdict",    "401  404   202   202   202   202"),
    row("api:get_report_mend",           "GET",  "verdict",    "401  404   409   409   409   409"),
    row("api:get_report_whole",          "GET",  "verdict",    "401  404   202   202   202   202"),
    row("api:get_report_csv",            "GET",  "verdict",    "401  404   200   200   200   200"),
    row("api:get_report_json",           "GET",  "verdict",    "401  404   202   202   202   202"),
    row("api:list_datasets",             "GET",  "",           "401  200   200   200   200   200"),
    row("api:create",                    "POST", "north",      "401  404   403   201   201   201", DATASET),
    row("api:get_dataset",               "GET",  "dataset",    "401  404   200   200   200   200"),
    row("api:get_schema",                "GET",  "dataset",    "401  404   200   200   200   200"),
    row("api:put_schema",                "PUT",  "dataset",    "401  404   403   200   200   200", SCHEMA, **{"If-Match": '"1"'}),
    row("api:change",                    "PATCH", "dataset",   "401  404   403   200   200   200", {"mode": "snapshot", "why": "x"}),
    row("api:preview_schema",            "POST", "dataset",    "401  404   403   200   200   200", SCHEMA),
    row("api:get_template",              "GET",  "dataset",    "401  404   200   200   200   200"),
    row("api:infer_schema",              "POST", "north",      "401  404   403   200   200   200", a_sample),
    row("api:list_records",              "GET",  "dataset",    "401  404   200   200   200   200"),
    row("api:get_record",                "GET",  "api record", "401  404   200   200   200   200"),
    row("api:get_history",               "GET",  "api record", "401  404   200   200   200   200"),
    row("api:reindex_dataset",           "POST", "dataset",    "401  404   403   202   202   202"),
    row("api:reindex_organisation",      "POST", "slug north", "401  404   403   403   202   202"),
    row("api:get_reindex",               "GET",  "reindex",    "401  404   200   200   200   200"),
]
# fmt: on
