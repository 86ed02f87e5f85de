"""The template workbook of a dataset, for whoever may see the dataset."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from ingestion import templates_served
from ingestion.views.datasets import find
from work.access import signed_in
from work.views.requests import Request


@require_safe
@signed_in
def template(request: Request, organisation: str, slug: str) -> HttpResponse:
    return templates_served.serve(request, find(request, organisation, slug))
