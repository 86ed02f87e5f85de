"""`/find/?q=`: from an id, a file name, a checksum or a correlation id to the thing itself."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from accounts.principals import Request
from work import finding
from work.access import signed_in


@require_safe
@signed_in
def find(request: Request) -> HttpResponse:
    text = request.GET.get("q", "").strip()
    hits = finding.hits(request.principal, text)
    if len(hits) == 1:
        return redirect(hits[0].url)
    context = {"text": text, "hits": hits, "shortest": finding.SHORTEST}
    return TemplateResponse(request, "config/find.html", context)
