"""The IRIs of what the catalogue speaks of: stable, under the site's public base address, and never reused.

Those of the catalogue, of datasets, versions and files are addresses that answer.
"""

import uuid
from urllib.parse import quote

from django.conf import settings


def base() -> str:
    """Without a slash at its end."""
    return str(settings.PUBLIC_BASE_URL).rstrip("/")


def catalogue() -> str:
    return f"{base()}/catalogue"


def publisher(organisation: str) -> str:
    return f"{catalogue()}/{organisation}#publisher"


def dataset(organisation: str, identifier: str) -> str:
    """Of an entry, whatever its version."""
    return f"{catalogue()}/{organisation}/{identifier}"


def contact(organisation: str, identifier: str) -> str:
    return f"{dataset(organisation, identifier)}#contact"


def version(organisation: str, identifier: str, number: int) -> str:
    return f"{dataset(organisation, identifier)}/versions/{number}"


def distribution(organisation: str, identifier: str, number: int, format_name: str) -> str:
    return f"{version(organisation, identifier, number)}#{format_name}"


def file(organisation: str, identifier: str, number: int, filename: str) -> str:
    """Where a file of a version is downloaded."""
    return f"{version(organisation, identifier, number)}/files/{quote(filename, safe='')}"


def graph(entry: uuid.UUID) -> str:
    """The named graph of an entry in the triple store."""
    return entry.urn
