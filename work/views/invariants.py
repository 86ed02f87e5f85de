"""The invariants: what the last runs found, a quick run at the press of a button, a deep one by a worker."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from work import invariants, invariants_deep, waiting
from work.access import operators_only
from work.models import InvariantRun
from work.views.requests import ENDED, Request, done, page, reading


@require_safe
@operators_only
def overview(request: Request) -> HttpResponse:
    quick, deep = invariants.last(deep=False), invariants.last(deep=True)
    unfinished = InvariantRun.objects.filter(is_deep=True, finished_at=None).first()
    shown = deep if request.GET.get("run") == "deep" else quick
    context = {
        "quick": quick,
        "deep": deep,
        "unfinished": unfinished,
        "why_waiting": waiting.why(invariants_deep.PIPELINE, unfinished) if unfinished else None,
        "shown": shown,
        "findings": _sorted(shown.findings) if shown else [],
        "known": invariants.every(),
        "live": reading(request) if unfinished else ENDED,
    }
    return page(request, "work/invariants.html", context, part="invariants-live")


def _sorted(findings: Any) -> list[dict[str, Any]]:
    """What does not hold comes first."""
    return sorted(findings, key=lambda each: (not each["count"], each["title"]))


@require_POST
@operators_only
def quick_run(request: Request) -> HttpResponse:
    found = invariants.run_and_keep(by=request.principal)
    if found.broken:
        messages.error(request, f"{found.broken} of {len(found.findings)} invariants do not hold.")
    else:
        messages.success(request, f"All {len(found.findings)} invariants hold.")
    return redirect("invariants")


@require_POST
@operators_only
def deep_run(request: Request) -> HttpResponse:
    def act() -> str:
        invariants_deep.request(by=request.principal)
        return "A deep run is accepted; a worker reads every file and says what it finds here."

    return done(request, act, reverse("invariants"))
