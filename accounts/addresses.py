"""Addresses of pages that are about one organisation."""

from urllib.parse import urlencode

from django.urls import reverse

from accounts.models import Organisation


def with_organisation(url_name: str, organisation: Organisation) -> str:
    return f"{reverse(url_name)}?{urlencode({'organisation': organisation.slug})}"
