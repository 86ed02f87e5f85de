"""The editor of a schema draft: its fields in a list, one of them in a form. Works without script.

Every button keeps what it says in the draft, so that a reload loses nothing; only its maker sees it.
"""

import uuid
from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from ingestion import draft_pages, schema_drafts, schema_editing
from ingestion.checking.fields import FORMATS
from ingestion.checking.schemas import MOST_FIELDS, validate_schema
from ingestion.field_form import FieldForm
from ingestion.models import SchemaDraft
from work.access import signed_in
from work.failures import StateChanged
from work.views.requests import Request, page

MOVED = (
    "This draft was changed in another window meanwhile, so nothing was kept yet. What you typed is still"
    " here: press the button again to keep it."
)


@require_http_methods(["GET", "HEAD"])
@signed_in
def draft(request: Request, draft_id: uuid.UUID) -> HttpResponse:
    """`?field=3` opens the form of the fourth field; for htmx: that form alone."""
    found = draft_of(request, draft_id)
    fields = schema_editing.fields_of(found.schema)
    asked = request.GET.get("field", "")
    place = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 5 else 0
    place = min(place, len(fields) - 1)
    return show(request, found, place, form_of(found, place) if fields else None)


@require_POST
@signed_in
def fields(request: Request, draft_id: uuid.UUID) -> HttpResponse:
    """Another field, at the end."""
    found = draft_of(request, draft_id)
    if len(schema_editing.fields_of(found.schema)) >= MOST_FIELDS:
        said = "There can be no more fields."
        return show(request, found, 0, form_of(found, 0), said=said, status=422)
    changed = schema_editing.add(found.schema)
    return _kept(request, found, changed, len(changed["fields"]) - 1)


@require_POST
@signed_in
def field(request: Request, draft_id: uuid.UUID, place: int) -> HttpResponse:
    """`act` says what: keep, type, up, down or remove. What is at fault is shown as it was typed."""
    found = draft_of(request, draft_id)
    if place >= len(schema_editing.fields_of(found.schema)):
        raise Http404
    if request.POST.get("revision") != str(found.revision):
        return show(request, found, place, _typed(request, found, place), said=MOVED, status=422)
    return ACTS.get(request.POST.get("act", "keep"), _keep)(request, found, place)


@require_POST
@signed_in
def removal(request: Request, draft_id: uuid.UUID) -> HttpResponse:
    found = draft_of(request, draft_id)
    back = back_to(found)
    schema_drafts.throw_away(draft=found)
    return redirect(back)


def draft_of(request: Request, draft_id: uuid.UUID) -> SchemaDraft:
    """Raises Http404 for another person's, PermissionDenied when the role is gone."""
    own = SchemaDraft.objects.select_related("organisation", "dataset__organisation")
    found = get_object_or_404(own, pk=draft_id, made_by=request.principal.user)
    if not request.principal.can("manage", found.organisation):
        raise PermissionDenied
    return found


def form_of(found: SchemaDraft, place: int, data: Any = None, kind: str = "") -> FieldForm:
    given = schema_editing.fields_of(found.schema)[place]
    in_key = given.get("name") in schema_editing.key_of(found.schema)
    name = str(given.get("name", ""))
    return FieldForm(
        data, field=given, in_key=in_key, kind=kind, target=schema_editing.target_of(found.schema, name),
        targets=draft_pages.targets(found, name),
    )  # fmt: skip


def show(
    request: Request, found: SchemaDraft, place: int, form: FieldForm | None, *, said: str = "",
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    context = draft_pages.context(found, place) | {"form": form, "said": said}
    return page(request, "ingestion/schema_draft.html", context, part="draft", status=status)


def back_to(found: SchemaDraft) -> str:
    if found.dataset is None:
        return reverse("dataset_new")
    return reverse("dataset", args=[found.organisation.slug, found.dataset.slug])


def _typed(request: Request, found: SchemaDraft, place: int) -> FieldForm:
    kind = request.POST.get("type", "")
    return form_of(found, place, request.POST, kind if kind in FORMATS else "")


def _keep(request: Request, found: SchemaDraft, place: int) -> HttpResponse:
    form = _typed(request, found, place)
    if not form.is_valid():
        return show(request, found, place, form, status=422)
    changed = schema_editing.replace(
        found.schema, place, form.descriptor(), in_key=form.cleaned_data["in_key"]
    )
    named = str(schema_editing.fields_of(changed)[place]["name"])
    changed = schema_editing.refer(changed, named, form.cleaned_data["refers_to"])
    known = validate_schema(found.schema)
    for problem in validate_schema(changed):
        if problem.path.split(".")[0] == f"fields[{place}]":
            form.refuse(problem, place)
        elif problem.code == "duplicate_name" and problem not in known:
            form.add_error("name", problem.message)  # named at the second of the two fields
    if form.errors:
        return show(request, found, place, form, status=422)
    return _kept(request, found, changed, place)


def _type(request: Request, found: SchemaDraft, place: int) -> HttpResponse:
    """The form for another type, with what was typed; nothing is kept yet."""
    return show(request, found, place, _typed(request, found, place).unjudged())


def _up(request: Request, found: SchemaDraft, place: int) -> HttpResponse:
    return _kept(request, found, *schema_editing.move(found.schema, place, -1))


def _down(request: Request, found: SchemaDraft, place: int) -> HttpResponse:
    return _kept(request, found, *schema_editing.move(found.schema, place, 1))


def _remove(request: Request, found: SchemaDraft, place: int) -> HttpResponse:
    return _kept(request, found, schema_editing.remove(found.schema, place), max(place - 1, 0))


def _kept(request: Request, found: SchemaDraft, schema: dict[str, Any], place: int) -> HttpResponse:
    before = schema_editing.fields_of(found.schema)
    after = schema_editing.fields_of(schema)
    findings = found.findings
    if len(before) == len(after) and place < len(after):
        findings = draft_pages.renamed(findings, before[place].get("name"), after[place].get("name"))
    try:
        schema_drafts.change(draft=found, schema=schema, findings=findings)
    except StateChanged:
        found.refresh_from_db()
        return show(request, found, 0, None, said=MOVED, status=422)
    if request.htmx:
        answer = show(request, found, place, form_of(found, place) if after else None)
        answer["HX-Replace-Url"] = f"{reverse('schema_draft', args=[found.pk])}?field={place}"
        return answer
    return redirect(f"{reverse('schema_draft', args=[found.pk])}?field={place}#field")


ACTS: dict[str, Callable[[Request, SchemaDraft, int], HttpResponse]] = {
    "keep": _keep, "type": _type, "up": _up, "down": _down, "remove": _remove,
}  # fmt: skip
