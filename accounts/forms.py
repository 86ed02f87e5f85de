"""What managers and people fill in about accounts."""

import datetime as dt
from typing import Any

from django import forms
from django.core.validators import validate_email
from django.utils import timezone

from accounts import tokens, zones
from accounts.models import RANKS, Organisation, Role, User

ROLE_WORDS = {"uploader": "Uploader", "manager": "Manager", "operator": "Operator"}
LIFETIMES = [("30", "30 days"), ("90", "90 days"), ("365", "One year"), ("", "Until it is revoked")]


class MemberForm(forms.Form):
    who = forms.CharField(
        label="User name or e-mail address",
        max_length=150,
        help_text="Someone without an account yet gets one by mail, if you give the address.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.UPLOADER,
        widget=forms.RadioSelect,
        help_text="Managers also keep datasets, members and tokens.",
    )

    def clean_who(self) -> "User | str":
        """The person, or the address of somebody who has no account yet."""
        who = self.cleaned_data["who"].strip()
        found = User.objects.filter(username=who).first() or User.objects.filter(email__iexact=who).first()
        if found is not None:
            return found
        if "@" not in who:
            raise forms.ValidationError("Nobody has this user name. Give an address to make an account.")
        validate_email(who)
        return who


class TokenForm(forms.Form):
    title = forms.CharField(max_length=100, help_text="What it is for, so that others know whom to ask.")
    role = forms.ChoiceField(widget=forms.RadioSelect)
    lifetime = forms.ChoiceField(label="Works for", choices=LIFETIMES, initial="365", required=False)

    def __init__(self, *args: Any, user: User, organisation: Organisation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        highest = RANKS.get(tokens.highest_role(user, organisation), 0)
        allowed = [(role, ROLE_WORDS[role]) for role, rank in RANKS.items() if rank <= highest]
        self.fields["role"].choices = allowed  # type: ignore[attr-defined]
        self.fields["role"].initial = Role.UPLOADER

    def expires_at(self) -> dt.datetime | None:
        days = self.cleaned_data["lifetime"]
        return timezone.now() + dt.timedelta(days=int(days)) if days else None


class ProfileForm(forms.Form):
    first_name = forms.CharField(label="First name", max_length=150, required=False)
    last_name = forms.CharField(label="Last name", max_length=150, required=False)
    time_zone = forms.ChoiceField(label="Time zone", help_text="Times are shown in it.")
    mailing = forms.ChoiceField(
        label="Mail about your uploads",
        choices=[("at_once", "At once"), ("daily", "Once a day"), ("never", "Never")],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].choices = [(zone, zone) for zone in zones.known()]  # type: ignore[attr-defined]


class AddressForm(forms.Form):
    email = forms.EmailField(label="E-mail address", help_text="For notices, and to set a new password.")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if User.objects.filter(email__iexact=email).exclude(pk=self.user.pk).exists():
            raise forms.ValidationError("This address cannot be used.")
        return email
