"""A person's own account: name, zone, mail, address, password, second factor."""

from allauth.account.decorators import reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from accounts import people
from accounts.forms import AddressForm, ProfileForm
from accounts.models import Membership
from accounts.principals import Request
from work.access import signed_in

FIELDS = ("first_name", "last_name", "time_zone", "mailing")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def profile(request: Request) -> HttpResponse:
    user = request.principal.user
    form = ProfileForm(request.POST or None, initial={name: getattr(user, name) for name in FIELDS})
    if request.method == "POST" and form.is_valid():
        people.change(user=user, fields=form.cleaned_data, by=request.principal)
        messages.success(request, "Your profile is changed.")
        return redirect("profile")
    context = {
        "form": form,
        "memberships": Membership.objects.filter(user=user).select_related("organisation"),
        "has_second_factor": is_mfa_enabled(user),
    }
    return TemplateResponse(request, "accounts/profile.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@reauthentication_required
def address(request: Request) -> HttpResponse:
    """Whoever gets the mail can set the password, so the password is asked for first."""
    user = request.principal.user
    form = AddressForm(request.POST or None, user=user, initial={"email": user.email})
    if request.method == "POST" and form.is_valid():
        people.change(user=user, fields=form.cleaned_data, by=request.principal)
        messages.success(request, "Your address is changed.")
        return redirect("profile")
    return TemplateResponse(
        request, "accounts/address.html", {"form": form}, status=422 if form.errors else 200
    )
