"""What a dataset does with its files: title, locale, mode and limits. A change needs a reason."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from ingestion import datasets
from ingestion.draft_forms import SettingsForm
from ingestion.views.datasets import find
from work.access import signed_in
from work.views.requests import Request


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def settings(request: Request, organisation: str, slug: str) -> HttpResponse:
    """What was typed is kept when it is refused."""
    dataset = find(request, organisation, slug)
    if not request.principal.can("manage", dataset.organisation):
        raise PermissionDenied
    form = SettingsForm(request.POST if request.method == "POST" else None, dataset=dataset)
    if not form.is_valid():
        context = {"dataset": dataset, "form": form}
        status = 422 if form.is_bound else 200
        return TemplateResponse(request, "ingestion/dataset_settings.html", context, status=status)
    changed = form.changed_settings()
    if not changed:
        messages.info(request, "Nothing was changed.")
    else:
        datasets.change(dataset=dataset, fields=changed, by=request.principal, why=form.cleaned_data["why"])
        messages.success(request, "The settings are changed. They count for files that are read from now on.")
    return redirect("dataset", organisation=organisation, slug=slug)
