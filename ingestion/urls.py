from django.urls import path

from ingestion.views import (
    answering,
    dataset_settings,
    datasets,
    downloads,
    records,
    remembering,
    reprocessing,
    schema_editor,
    schema_saving,
    schema_starts,
    sending,
    templates,
    uploads,
)  # fmt: skip

urlpatterns = [
    path("uploads/", uploads.listing, name="uploads"),
    path("uploads/new/", sending.new, name="upload_new"),
    path("uploads/<uuid:upload_id>/", uploads.detail, name="upload"),
    path("uploads/<uuid:upload_id>/answer/", answering.answer, name="upload_answer"),
    path("uploads/<uuid:upload_id>/storing/", answering.storing, name="upload_storing"),
    path("uploads/<uuid:upload_id>/cancellation/", uploads.cancellation, name="upload_cancellation"),
    path("uploads/<uuid:upload_id>/reprocess/", reprocessing.reprocess, name="upload_reprocess"),
    path("uploads/<uuid:upload_id>/differences/", reprocessing.differing, name="upload_differences"),
    path("uploads/<uuid:upload_id>/original/", downloads.original, name="upload_original"),
    path("uploads/<uuid:upload_id>/reports/<str:kind>/", downloads.report, name="upload_report"),
    path("datasets/", datasets.listing, name="datasets"),
    path("datasets/new/", datasets.new, name="dataset_new"),
    path("datasets/<slug:organisation>/<slug:slug>/", datasets.detail, name="dataset"),
    path("datasets/<slug:organisation>/<slug:slug>/schema/", datasets.schema, name="dataset_schema"),
    path(
        "datasets/<slug:organisation>/<slug:slug>/schema/draft/",
        schema_starts.current,
        name="dataset_schema_draft",
    ),
    path(
        "datasets/<slug:organisation>/<slug:slug>/versions/<int:number>/",
        schema_starts.version,
        name="schema_version",
    ),
    path(
        "datasets/<slug:organisation>/<slug:slug>/settings/",
        dataset_settings.settings,
        name="dataset_settings",
    ),
    path("schema-drafts/sample/", schema_starts.sample, name="schema_draft_sample"),
    path("schema-drafts/empty/", schema_starts.nothing, name="schema_draft_empty"),
    path("schema-drafts/<uuid:draft_id>/", schema_editor.draft, name="schema_draft"),
    path("schema-drafts/<uuid:draft_id>/fields/", schema_editor.fields, name="schema_draft_fields"),
    path("schema-drafts/<uuid:draft_id>/fields/<int:place>/", schema_editor.field, name="schema_draft_field"),
    path("schema-drafts/<uuid:draft_id>/json/", schema_saving.as_json, name="schema_draft_json"),
    path("schema-drafts/<uuid:draft_id>/saving/", schema_saving.saving, name="schema_draft_saving"),
    path("schema-drafts/<uuid:draft_id>/removal/", schema_editor.removal, name="schema_draft_removal"),
    path(
        "datasets/<slug:organisation>/<slug:slug>/template.xlsx", templates.template, name="dataset_template"
    ),
    path(
        "datasets/<slug:organisation>/<slug:slug>/headings/<int:alias>/removal/",
        remembering.removal,
        name="dataset_alias_removal",
    ),
    path("datasets/<slug:organisation>/<slug:slug>/records/", records.listing, name="records"),
    path("datasets/<slug:organisation>/<slug:slug>/records/find/", records.find_by_key, name="record_find"),
    path("datasets/<slug:organisation>/<slug:slug>/records/<int:record>/", records.detail, name="record"),
]
