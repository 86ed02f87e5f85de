"""API tokens of an organisation: made (and shown once), listed, revoked."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import scoping, tokens
from accounts.addresses import with_organisation
from accounts.forms import TokenForm
from accounts.models import ApiToken, Organisation
from accounts.principals import Request
from accounts.views.members import choice, managed
from work.access import signed_in
from work.failures import StateChanged


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    organisation = scoping.chosen(request)
    if organisation is None:
        return choice(request, "API tokens", "tokens")
    organisation = managed(request, organisation.slug)
    return _page(request, organisation, _form(request, organisation))


@require_POST
@never_cache
@signed_in
def addition(request: Request, organisation: str) -> HttpResponse:
    """Answers with the token itself instead of a redirect: it is kept nowhere, not even in the session."""
    found = managed(request, organisation)
    form = _form(request, found, request.POST)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    principal = request.principal
    token, secret = tokens.make(
        user=principal.user,
        organisation=found,
        role=form.cleaned_data["role"],
        title=form.cleaned_data["title"],
        expires_at=form.expires_at(),
        by=principal,
    )
    given = {"organisation": found, "token": token, "secret": secret}
    given["tokens_url"] = with_organisation("tokens", found)
    return TemplateResponse(request, "accounts/token_made.html", given)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def revocation(request: Request, organisation: str, token: str) -> HttpResponse:
    found = managed(request, organisation)
    row = get_object_or_404(ApiToken, pk=token, organisation=found)
    back_url = with_organisation("tokens", found)
    if request.method != "POST":
        question = {
            "title": f"Revoke the token {row.title}?",
            "sentence": "Programs that use it are refused at once. It cannot be brought back.",
            "url": request.path,
            "act": "Revoke",
            "kind": "grave",
            "back_url": back_url,
            "form": None,
        }
        return TemplateResponse(request, "_components/confirm_page.html", question)
    try:
        tokens.revoke(token=row, by=request.principal)
        messages.success(request, f"The token {row.title} is revoked.")
    except StateChanged:
        messages.warning(request, "Somebody revoked this token before.")
    return redirect(back_url)


def _form(request: Request, organisation: Organisation, data: object = None) -> TokenForm:
    return TokenForm(data, user=request.principal.user, organisation=organisation)


def _page(
    request: Request, organisation: Organisation, form: TokenForm, status: int = 200
) -> TemplateResponse:
    listed = ApiToken.objects.filter(organisation=organisation).select_related("user", "revoked_by")
    context = {"organisation": organisation, "form": form, "tokens": listed.order_by("-pk")[:200]}
    return TemplateResponse(request, "accounts/tokens.html", context, status=status)
