"""The addresses of allauth that we serve. There is no sign-up: accounts are made by managers."""

from allauth.account import urls as account_urls
from allauth.mfa import urls as mfa_urls
from django.urls import include, path

KEPT = {
    "account_login", "account_logout", "account_inactive", "account_reauthenticate",
    "account_change_password", "account_reset_password", "account_reset_password_done",
    "account_reset_password_from_key", "account_reset_password_from_key_done",
}  # fmt: skip

urlpatterns = [
    *(address for address in account_urls.urlpatterns if address.name in KEPT),
    path("2fa/", include(mfa_urls)),
]
