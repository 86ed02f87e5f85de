"""The sign-in form of allauth, in our words."""

from typing import Any

from allauth.account.forms import LoginForm


class SignInForm(LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User name or e-mail address"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
