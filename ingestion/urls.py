from django.urls import path

from ingestion.views import (
    answering,
    datasets,
    downloads,
    records,
    remembering,
    reprocessing,
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
        "datasets/<slug:organisation>/<slug:slug>/template.xlsx", templates.template, name="dataset_template"
    ),
    path(
        "datasets/<slug:organisation>/<slug:slug>/headings/<int:alias>/removal/",
        remembering.removal,
        name="dataset_alias_removal",
    ),
    path("datasets/<slug:organisation>/<slug:slug>/records/", records.listing, name="records"),
    path("datasets/<slug:organisation>/<slug:slug>/records/<int:record>/", records.detail, name="record"),
]
