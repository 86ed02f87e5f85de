"""The members of an organisation: who, as what, since when; for its managers and for operators."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import members, scoping
from accounts.addresses import with_organisation
from accounts.forms import MemberForm
from accounts.models import Membership, Organisation, Role, User
from accounts.principals import Request
from work.access import signed_in
from work.failures import StateChanged


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    organisation = scoping.chosen(request)
    if organisation is None:
        return choice(request, "Members", "members")
    _must_manage(request, organisation)
    return _page(request, organisation, MemberForm())


@require_POST
@signed_in
def addition(request: Request, organisation: str) -> HttpResponse:
    found = managed(request, organisation)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    who, by = form.cleaned_data["who"], request.principal
    try:
        if isinstance(who, User):
            members.add(organisation=found, user=who, role=form.cleaned_data["role"], by=by)
        else:
            members.invite(organisation=found, email=who, role=form.cleaned_data["role"], by=by)
    except members.AlreadyMember as error:
        form.add_error("who", str(error))
        return _page(request, found, form, status=422)
    messages.success(request, f"{who} is a member now.")
    return redirect(with_organisation("members", found))


@require_POST
@signed_in
def role(request: Request, organisation: str, member: int) -> HttpResponse:
    found = managed(request, organisation)
    membership = get_object_or_404(Membership, pk=member, organisation=found)
    wanted = request.POST.get("role", "")
    if wanted in Role.values:
        try:
            members.change_role(membership=membership, role=wanted, by=request.principal)
            messages.success(request, f"{membership.user} is {wanted} now.")
        except members.LastManager as error:
            messages.error(request, str(error))
        except StateChanged:
            messages.warning(request, "Somebody changed this member meanwhile. Nothing was changed.")
    return redirect(with_organisation("members", found))


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def removal(request: Request, organisation: str, member: int) -> HttpResponse:
    found = managed(request, organisation)
    membership = get_object_or_404(Membership, pk=member, organisation=found)
    if request.method != "POST":
        return TemplateResponse(request, "_components/confirm_page.html", _question(request, membership))
    try:
        members.remove(membership=membership, by=request.principal)
        messages.success(request, f"{membership.user} is no longer a member. Their tokens here are revoked.")
    except members.LastManager as error:
        messages.error(request, str(error))
    except StateChanged:
        messages.warning(request, "Somebody removed this member meanwhile.")
    return redirect(with_organisation("members", found))


def managed(request: Request, slug: str) -> Organisation:
    """404 for an organisation that the viewer does not see, 403 without the right in one that they do."""
    principal = request.principal
    organisation: Organisation = get_object_or_404(principal.organisations(), slug=slug)
    _must_manage(request, organisation)
    return organisation


def choice(request: Request, title: str, url_name: str) -> HttpResponse:
    """Which organisation, for people who see several or none."""
    seen = request.principal.organisations().order_by("title")
    options = [(organisation, with_organisation(url_name, organisation)) for organisation in seen]
    return TemplateResponse(request, "accounts/choice.html", {"title": title, "options": options})


def _must_manage(request: Request, organisation: Organisation) -> None:
    if not request.principal.can("manage", organisation):
        raise PermissionDenied


def _page(
    request: Request, organisation: Organisation, form: MemberForm, status: int = 200
) -> TemplateResponse:
    listed = (
        Membership.objects.filter(organisation=organisation)
        .select_related("user")
        .order_by("role", "user__username")
    )
    context = {"organisation": organisation, "form": form, "members": listed}
    return TemplateResponse(request, "accounts/members.html", context, status=status)


def _question(request: Request, membership: Membership) -> dict[str, Any]:
    return {
        "title": f"Remove {membership.user}?",
        "sentence": f"{membership.user} will see nothing of {membership.organisation} any more,"
        " and their tokens here stop working at once.",
        "url": request.path,
        "act": "Remove",
        "kind": "grave",
        "back_url": with_organisation("members", membership.organisation),
        "form": None,
    }
