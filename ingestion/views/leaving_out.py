"""Leaving refused rows out for good, by choosing them or a rule that they break; and taking that back."""

import uuid

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingestion import leaving_out, mending_pages, queries
from ingestion.mending_pages import Wanted
from ingestion.models import Upload
from ingestion.views.mending import find
from work.access import signed_in
from work.views.requests import Request, page
from work.wording import number

ROWS_A_PAGE = 100
NOTHING = "Choose the rows that shall be left out."


class LeaveOutForm(forms.Form):
    why = forms.CharField(
        label="Reason",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Such as: these are totals. It is kept with the decision, where others read it later.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def leave_out(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """POST: leave out the rows with a tick or `all` that break the rule; or `back` takes a decision back."""
    upload = find(request, upload_id)
    wanted = mending_pages.wanted(request.GET)
    form = LeaveOutForm(request.POST if request.method == "POST" and "back" not in request.POST else None)
    if request.method == "POST" and "back" in request.POST:
        return _take_back(request, upload, wanted)
    if form.is_bound and form.is_valid():
        if count := _leave_out(request, upload, wanted, form.cleaned_data["why"]):
            messages.success(request, f"{_rows(count)} left out. You can take that back below.")
            return redirect(_address(upload, wanted))
        form.add_error(None, NOTHING)
    rows = mending_pages.open_rows(upload, wanted)
    listed = list(rows.filter(row__gt=wanted.after)[: ROWS_A_PAGE + 1])
    more = len(listed) > ROWS_A_PAGE
    context = {
        "upload": upload,
        "form": form,
        "rows": listed[:ROWS_A_PAGE],
        "total": rows.count(),
        "rule": wanted.rule,
        "groups": list(queries.error_groups(upload)),
        "next_query": wanted.query(after=listed[ROWS_A_PAGE - 1].row) if more else "",
        "ticked": set(request.POST.getlist("row")),
        "left_out": leaving_out.of(upload),
    }
    return page(request, "ingestion/upload_leave_out.html", context, status=422 if form.is_bound else 200)


def _leave_out(request: Request, upload: Upload, wanted: Wanted, why: str) -> int:
    rows = mending_pages.open_rows(upload, wanted)
    if "all" not in request.POST:
        given = request.POST.getlist("row")
        rows = rows.filter(row__in=[int(text) for text in given if text.isascii() and text.isdigit()])
    rule = (wanted.rule or "every open row") if "all" in request.POST else "rows that were ticked"
    return leaving_out.leave_out(upload=upload, rows=rows, rule=rule, by=request.principal, why=why)


def _take_back(request: Request, upload: Upload, wanted: Wanted) -> HttpResponse:
    try:
        decision = uuid.UUID(request.POST["back"])
    except ValueError:
        decision = uuid.UUID(int=0)
    count = leaving_out.take_back(upload=upload, decision=decision, by=request.principal)
    if count:
        messages.success(request, f"{_rows(count)} open again.")
    else:
        messages.warning(request, "Nothing was changed: none of these rows is left out any more.")
    return redirect(_address(upload, wanted))


def _rows(count: int) -> str:
    return "One row is" if count == 1 else f"{number(count)} rows are"


def _address(upload: Upload, wanted: Wanted) -> str:
    query = wanted.query(after=0)
    return reverse("upload_leave_out", args=[upload.pk]) + (f"?{query}" if query else "")
