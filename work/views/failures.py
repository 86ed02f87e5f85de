"""Failures of one cause together, with first and last seen and an attempt to look into. Operators only."""

import datetime as dt

from django import forms
from django.http import Http404, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from work import failure_groups, failure_texts, pipelines
from work.access import operators_only
from work.views.choices import pipeline_choices
from work.views.requests import Request, page
from work.views.subjects import subject_url

WITHIN = {"1": "Last hour", "24": "Last 24 hours", "168": "Last 7 days"}


class FailureFilter(forms.Form):
    pipeline = forms.ChoiceField(required=False, label="Pipeline")
    within = forms.ChoiceField(required=False, label="Seen", choices=[("", "Whenever"), *WITHIN.items()])

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self.fields["pipeline"].choices = pipeline_choices()  # type: ignore[attr-defined]


@require_safe
@operators_only
def groups(request: Request) -> HttpResponse:
    hours = request.GET.get("within", "")
    found = failure_groups.groups(
        pipeline=request.GET.get("pipeline", ""),
        within=dt.timedelta(hours=int(hours)) if hours in WITHIN else None,
    )
    context = {
        "form": FailureFilter(request.GET),
        "groups": [(group, failure_texts.describe(group.code, {})) for group in found],
        "is_cut": len(found) == failure_groups.LISTED_AT_MOST,
    }
    return page(request, "work/failures.html", context, part="failures-table")


@require_safe
@operators_only
def group(request: Request, fingerprint: str) -> HttpResponse:
    found = failure_groups.find(fingerprint)
    if found is None:
        raise Http404
    examples = list(failure_groups.examples(fingerprint))
    known = {each.name: each for each in pipelines.every()}
    message, remedy = failure_texts.describe(found.code, examples[0].detail)
    context = {
        "group": found,
        "pipeline": known.get(found.pipeline),
        "message": message,
        "remedy": remedy,
        "example": examples[0],
        "examples": [(each, subject_url(each.pipeline, str(each.subject))) for each in examples],
    }
    return page(request, "work/failure.html", context)
