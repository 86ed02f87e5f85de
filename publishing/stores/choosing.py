"""Which triple store the catalogue is written to: the one of the settings, or the embedded one."""

import re
from pathlib import Path

from django.conf import settings

from publishing.stores.protocol import StoreUnavailable, TripleStore
from publishing.stores.rdf4j import Rdf4jStore
from publishing.stores.sparql import UNREACHABLE, Access, SparqlStore

RDF4J = re.compile(r"/repositories/[^/?#]+/?$")
NOTE = "triplestore-address"


def store() -> TripleStore:
    """Raises StoreUnavailable when the embedded one was never started."""
    url, update_url = settings.TRIPLESTORE_URL, settings.TRIPLESTORE_UPDATE_URL
    if not url:
        return by_base(embedded_address())
    access = Access(settings.TRIPLESTORE_USER, settings.TRIPLESTORE_PASSWORD, settings.TRIPLESTORE_TOKEN)
    if update_url:
        return SparqlStore(url, update_url, access=access)
    if RDF4J.search(url):
        return Rdf4jStore(url, access=access)
    return by_base(url, access=access)


def by_base(url: str, access: Access | None = None) -> SparqlStore:
    """Oxigraph's server and its like: query and update lie under one address."""
    base = url.rstrip("/")
    return SparqlStore(f"{base}/query", f"{base}/update", access=access)


def embedded_address() -> str:
    """Where `manage.py up` has started it: its port may change with each start."""
    try:
        return note().read_text().strip()
    except FileNotFoundError:
        raise StoreUnavailable(UNREACHABLE, what="the embedded store was never started") from None


def note() -> Path:
    return Path(settings.VAR_DIR) / NOTE
