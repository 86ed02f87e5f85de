"""How people come in: accounts are made by managers and administrators, never by strangers."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class SignInAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
