"""Answers a request for the template of a dataset, with the version of its schema as ETag."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from ingestion import template_workbook
from ingestion.content_types import CONTENT_TYPES
from ingestion.models import Dataset
from work import downloads

DOCUMENTED: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The workbook, as an attachment",
            "headers": {"ETag": {"schema": {"type": "string"}, "description": "Changes with the schema"}},
            "content": {CONTENT_TYPES["xlsx"]: {"schema": {"type": "string", "format": "binary"}}},
        },
        304: {"description": "Unchanged: the ETag is the one that was sent"},
    }
}


def serve(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    version = dataset.schema_versions.latest("number")
    etag = template_workbook.etag(dataset, version)
    if etag in request.headers.get("If-None-Match", ""):
        answer = HttpResponse(status=304)
    else:
        answer = HttpResponse(template_workbook.build(dataset, version), content_type=CONTENT_TYPES["xlsx"])
        answer["Content-Disposition"] = downloads.disposition(template_workbook.filename(dataset))
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    return answer
