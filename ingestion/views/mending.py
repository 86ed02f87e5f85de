"""Mending in place: the refused rows of an upload in a grid, sent as a new upload that is linked to it."""

import io
import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import mending_conflicts, mending_file, mending_pages, newer_values, queries, stories, uploads
from ingestion.mending_file import Edits, NotRows
from ingestion.models import RowError, Upload
from ingestion.upload_options import UploadOptions
from work.access import signed_in
from work.identifiers import uuid7
from work.problems import Problem
from work.views.requests import Request, page

NOTHING = "Nothing was changed yet, so there is nothing to send."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def grid(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """GET: the rows to mend. POST: send those that were changed, once a person has decided between them and
    what a newer upload has written meanwhile."""
    upload = find(request, upload_id)
    if request.method != "POST":
        return _page(request, upload)
    try:
        edits = _edits(request, upload)
        rows = mending_file.mended(upload, edits)
        if not rows:
            return _page(request, upload, refused=NOTHING)
        return _send_or_ask(request, upload, edits, rows)
    except NotRows as refused:
        return _page(request, upload, refused=str(refused))
    except Problem as problem:
        status = problem.status if problem.status >= 500 else 422
        return _page(request, upload, refused=f"{problem.message} {problem.remedy}", status=status)


@require_safe
@signed_in
def rows(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """The rows of the grid as JSON: what stands in them, and what is wrong with which cell."""
    upload = find(request, upload_id)
    answer = JsonResponse(mending_pages.data(upload, mending_pages.wanted(request.GET)))
    answer["Cache-Control"] = "no-store"
    return answer


def _send_or_ask(
    request: Request, upload: Upload, edits: Edits, rows: dict[RowError, list[str]]
) -> HttpResponse:
    version = upload.dataset.version  # read before the records are: what is agreed to here holds for it
    conflicts = mending_conflicts.find(upload, rows)
    decided = {one.row: request.POST.get(f"row-{one.row}", "") for one in conflicts}
    nonce = _nonce(request)
    if not all(answer in ("theirs", "mine") for answer in decided.values()):
        context = {
            "upload": upload, "conflicts": conflicts, "count": len(rows), "nonce": nonce,
            "edits": mending_pages.as_json(edits), "was_asked": any(decided.values()),
        }  # fmt: skip
        return page(request, "ingestion/upload_mend_review.html", context)
    given_way = {row for row, answer in decided.items() if answer == "theirs"}
    content = mending_file.write(upload, rows, given_way=given_way)
    accepted = uploads.accept(
        dataset=upload.dataset,
        stream=io.BytesIO(content),
        size=len(content),
        filename=mending_pages.filename(upload),
        by=request.principal,
        idempotency_key=nonce,
        options=UploadOptions(
            mends=upload.pk, reading={"confirm": [newer_values.send_mine(version)]} if conflicts else {}
        ),
    )
    messages.success(request, mending_pages.sentence(len(rows), already=accepted.already_accepted))
    return redirect("upload", upload_id=accepted.upload.pk)


def _page(request: Request, upload: Upload, *, refused: str = "", status: int = 0) -> HttpResponse:
    wanted = mending_pages.wanted(request.GET)
    typed = request.POST.get("edits", "") if refused else ""
    context = {
        "upload": upload,
        "story": stories.of(upload),
        "groups": list(queries.error_groups(upload)),
        "rule": wanted.rule,
        "part": mending_pages.part(upload, wanted),
        "plain": mending_pages.plain(upload, wanted),
        "rows_url": f"{reverse('upload_mend_rows', args=[upload.pk])}?{wanted.query()}",
        "nonce": uuid7(),
        "typed": typed[: mending_pages.LONGEST_TYPED],
        "refused": refused,
    }
    return page(request, "ingestion/upload_mend.html", context, status=status or (422 if refused else 200))


def _edits(request: Request, upload: Upload) -> Edits:
    """From the grid as one JSON text, or from the fields of the plain form."""
    if "edits" in request.POST:
        return mending_file.parsed(request.POST["edits"], upload)
    numbers = [int(text) for text in request.POST.getlist("shown") if text.isascii() and text.isdigit()]
    shown = queries.error_rows(upload).filter(row__in=numbers[:100])
    return mending_file.of_form(request.POST.dict(), shown, width=len(upload.headers))


def _nonce(request: Request) -> str:
    try:
        return str(uuid.UUID(request.POST.get("nonce", "")))
    except ValueError:
        return str(uuid7())


def find(request: Request, upload_id: uuid.UUID) -> Upload:
    """Only of an upload that has rows to mend on their own, and for those who may send."""
    found: Upload = get_object_or_404(queries.visible(request.principal), pk=upload_id)
    if not request.principal.can("upload", found.organisation):
        raise PermissionDenied
    if not mending_file.fits_the_grid(found):
        raise Http404
    return found
