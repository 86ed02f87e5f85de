"""What was remembered of a dataset's files, and forgetting it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingestion import remembered
from ingestion.models import HeaderAlias
from ingestion.views.datasets import find
from work.access import signed_in
from work.views.requests import Request


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def removal(request: Request, organisation: str, slug: str, alias: int) -> HttpResponse:
    """Asked first, on a page of its own."""
    dataset = find(request, organisation, slug)
    if not request.principal.can("manage", dataset.organisation):
        raise PermissionDenied
    found: HeaderAlias = get_object_or_404(remembered.of_dataset(dataset.pk), pk=alias)
    back_url = reverse("dataset", args=[organisation, slug])
    if request.method == "POST":
        remembered.forget(alias=found, by=request.principal)
        messages.success(request, f"“{found.header}” is forgotten. Files that come are matched without it.")
        return redirect(back_url)
    context = {
        "title": f"Forget that “{found.header}” means {found.field}?",
        "sentence": "Records and verdicts stay as they are. The next file with this heading may ask again.",
        "url": request.path,
        "act": "Forget it",
        "kind": "",
        "back_url": back_url,
        "form": None,
    }
    return TemplateResponse(request, "_components/confirm_page.html", context)
