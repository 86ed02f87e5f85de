"""Answering what an upload asks: the first rows of its file, the row of headings, and which column is which.

Everything shown was kept with the question; the file is not read again, and nothing is decided by looking.
"""

import datetime as dt
import uuid
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.principals import Principal
from ingestion import answers, answers_layout, queries, questions, remembered, reprocessing, uploads
from ingestion.answers_layout import Layout
from ingestion.asking import Asking
from ingestion.forms_answering import AnswerForm, ReasonForm, WhichTotalsForm, WhichValuesForm
from ingestion.models import Upload
from work.access import signed_in
from work.failures import StateChanged
from work.problems import Problem
from work.views.requests import Request, page, word

MOVED = "Nothing was changed: the upload asks something else by now. This is what it asks."
NOT_KEPT = "Row {row} is blank, or too far down to be shown. The headings below are those of row {shown}."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def answer(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """GET, and POST with `look`, only show what another sheet or row of headings would mean."""
    upload = _find(request, upload_id)
    if not request.principal.can("answer", upload.organisation):
        raise PermissionDenied
    if not upload.asking:
        messages.info(request, f"{upload.filename} is {word(upload.state)} and asks nothing.")
        return redirect("upload", upload_id=upload.pk)
    if request.method == "POST" and request.POST.get("asked") != _asked(upload):
        messages.warning(request, MOVED)
        return redirect("upload_answer", upload_id=upload.pk)
    if upload.question == questions.WHICH_TOTALS:
        return _totals(request, upload)
    if upload.question == questions.CONFIRM_RETIREMENT:
        return _retirement(request, upload)
    if upload.question == questions.CONFIRM_NEWER_VALUES:
        return _newer(request, upload)
    return _reading(request, upload)


@require_POST
@signed_in
def storing(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """Of a file that was only tried: it is stored now, by an upload of its own; of a trial to read one again,
    by a reading of its own."""
    tried = _find(request, upload_id)
    if not request.principal.can("upload", tried.organisation):
        raise PermissionDenied
    try:
        made, already = _store(tried, request.principal)
    except Problem as problem:
        messages.warning(request, f"{problem.message} {problem.remedy}".strip())
        return redirect("upload", upload_id=tried.pk)
    said = "was sent to be stored before" if already else "is accepted, to be stored"
    messages.success(request, f"{tried.filename} {said}. This is that upload.")
    return redirect("upload", upload_id=made.pk)


def _store(tried: Upload, by: Principal) -> tuple[Upload, bool]:
    if not (tried.dry_run and tried.reprocesses_id):
        accepted = uploads.store(tried=tried, by=by)
        return accepted.upload, accepted.already_accepted
    again = reprocessing.reprocess(upload=tried, by=by, idempotency_key=f"store {tried.pk}")
    return again.upload, again.already


def _reading(request: Request, upload: Upload) -> HttpResponse:
    schema = upload.dataset.schema_versions.latest("number").schema
    layout, said = _layout(request, upload, schema)
    is_look = request.method == "POST" and "look" in request.POST
    # Choices of another row of headings are places in other columns, and would mean something else.
    is_same = request.POST.get("shown") == _shown(layout)
    data = request.POST if request.method == "POST" and is_same else None
    form = AnswerForm(data, layout=layout, schema=schema)
    if is_look or data is None:
        status = 200 if is_look or request.method != "POST" else 422
        if status == 422:
            said = "You chose another row of headings. Look at its columns, then press again."
        return _reading_page(request, upload, layout, form, said=said, status=status)
    if form.is_valid():
        given = {**_chosen(layout), "mapping": form.mapping()}
        if (answered := _answer(request, upload, given, form)) is not None:
            return answered
    return _reading_page(request, upload, layout, form, said=said, status=422)


def _layout(request: Request, upload: Upload, schema: dict[str, Any]) -> tuple[Layout, str]:
    """The one that is asked for, else the one that was asked about, with a sentence on why."""
    asking, aliases = cast(Asking, upload.asking), remembered.aliases(upload.dataset_id)
    given = request.POST if request.method == "POST" else request.GET
    sheet = given.get("sheet", "")
    sheet = sheet if sheet in answers_layout.sheet_names(asking) else ""
    row, depth = _number(given, "header_row"), min(_number(given, "header_rows"), 2)
    depth = depth or (1 if row else 0)  # a box without its tick is not sent
    layout = answers_layout.of(asking, schema, aliases, sheet=sheet, header_row=row, header_rows=depth)
    if layout is not None:
        return layout, ""
    usual = answers_layout.of(asking, schema, aliases, sheet=sheet)
    if usual is None:
        usual = Layout(sheet, 1, 1, [], [], answers_layout.suggest([], schema, aliases))
    return usual, NOT_KEPT.format(row=row, shown=usual.header_row) if row else ""


def _answer(
    request: Request,
    upload: Upload,
    given: dict[str, Any],
    form: AnswerForm | ReasonForm | WhichTotalsForm | WhichValuesForm,
    why: str = "",
) -> HttpResponse | None:
    """None when the answer was refused: the faults stand in the form."""
    try:
        answers.answer(upload=upload, reading=given, by=request.principal, why=why)
    except Problem as problem:
        for error in problem.extra.get("errors", []):
            if not isinstance(form, AnswerForm) or not form.refuse(error["at"], error["message"]):
                form.add_error(None, error["message"])
        return None
    except StateChanged as changed:
        messages.warning(
            request, f"Nothing was changed: somebody was faster. It is now {word(changed.found)}."
        )
    else:
        messages.success(request, f"{upload.filename} goes on by your answer. This page says how.")
    return redirect("upload", upload_id=upload.pk)


def _reading_page(
    request: Request, upload: Upload, layout: Layout, form: AnswerForm, *, said: str, status: int
) -> HttpResponse:
    asking = cast(Asking, upload.asking)
    part = "left-out" if request.htmx and request.htmx.target == "left-out" else "answering"
    context = {
        **_about(request, upload),
        "layout": layout,
        "form": form,
        "lines": list(form.lines()),
        "left_out": form.left_out(),
        "sheets": _sheets(upload, asking, layout),
        "headings": range(layout.header_row, layout.header_row + layout.header_rows),
        "shown": _shown(layout),
        "said": said,
    }
    return page(request, "ingestion/upload_answer.html", context, part=part, status=status)


def _totals(request: Request, upload: Upload) -> HttpResponse:
    asking = cast(Asking, upload.asking)
    form = WhichTotalsForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        leave_out, keep = answers_layout.confirmations(asking)
        given = {"confirm": [leave_out if form.cleaned_data["rows"] == WhichTotalsForm.LEAVE_OUT else keep]}
        answered = _answer(request, upload, given, form)
        if answered is not None:
            return answered
    context = {
        **_about(request, upload),
        "form": form,
        "headers": asking["headers"],
        "rows": asking["totals"]["rows"],
        "compared": asking["totals"]["compared"],
    }
    return page(request, "ingestion/upload_totals.html", context, status=422 if form.is_bound else 200)


def _retirement(request: Request, upload: Upload) -> HttpResponse:
    asking = cast(Asking, upload.asking)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        given = {"confirm": answers_layout.confirmations(asking)}
        answered = _answer(request, upload, given, form, why=form.cleaned_data["why"])
        if answered is not None:
            return answered
    retirement = asking["retirement"]
    context = {
        **_about(request, upload),
        "form": form,
        "retirement": retirement,
        "referring": asking["detail"].get("referring", {}),
        "has_moved": upload.dataset.version != retirement["version"],
    }
    status = 422 if form.is_bound else 200
    return page(request, "ingestion/upload_retirement.html", context, status=status)


def _newer(request: Request, upload: Upload) -> HttpResponse:
    asking = cast(Asking, upload.asking)
    form = WhichValuesForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        mine, theirs = answers_layout.confirmations(asking)
        given = {"confirm": [mine if form.cleaned_data["values"] == WhichValuesForm.MINE else theirs]}
        answered = _answer(request, upload, given, form, why=form.cleaned_data["why"])
        if answered is not None:
            return answered
    newer = asking["newer"]
    context = {
        **_about(request, upload),
        "form": form,
        "newer": newer,
        "examples": [
            each | {"changed_at": dt.datetime.fromisoformat(each["changed_at"])} for each in newer["examples"]
        ],
        "has_moved": upload.dataset.version != newer["version"],
    }
    return page(request, "ingestion/upload_newer.html", context, status=422 if form.is_bound else 200)


def _about(request: Request, upload: Upload) -> dict[str, Any]:
    message, remedy = questions.describe(cast(Asking, upload.asking))
    return {
        "upload": upload,
        "message": message,
        "remedy": remedy,
        "asked": _asked(upload),
        "may_withdraw": request.principal.can("withdraw", upload.organisation),
    }


def _sheets(upload: Upload, asking: Asking, layout: Layout) -> list[dict[str, Any]]:
    """To choose from, where there is a choice."""
    found = asking.get("sheets", [])
    if len(found) < 2:
        return []
    address = reverse("upload_answer", args=[upload.pk])
    return [
        {
            "name": sheet["name"],
            "is_hidden": sheet["hidden"],
            "is_chosen": sheet["name"] == layout.sheet,
            "url": f"{address}?{_query(sheet=sheet['name'])}",
        }
        for sheet in found
    ]


def _query(**values: str) -> str:
    query = QueryDict(mutable=True)
    query.update(values)
    return query.urlencode()


def _chosen(layout: Layout) -> dict[str, Any]:
    chosen = {"sheet": layout.sheet, "header_row": layout.header_row, "header_rows": layout.header_rows}
    return {name: value for name, value in chosen.items() if value}


def _shown(layout: Layout) -> str:
    return f"{layout.header_row} {layout.header_rows} {layout.sheet}"


def _asked(upload: Upload) -> str:
    """Which question a form answers: by the moment at which it was asked."""
    return upload.asked_at.isoformat() if upload.asked_at else ""


def _number(given: QueryDict, name: str) -> int:
    text = given.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _find(request: Request, upload_id: uuid.UUID) -> Upload:
    found: Upload = get_object_or_404(queries.visible(request.principal), pk=upload_id)
    return found
