"""RDF4J by its REST API: queries at the repository's address, updates at its statements.

`context` is always sent where a call could reach more than one graph: without it a DELETE empties them all.
"""

import math
from urllib.parse import quote

from publishing.stores.sparql import UPDATE_SECONDS, Access, SparqlStore, iri
from work.outbound import Call

MARGIN_SECONDS = 5.0


class Rdf4jStore(SparqlStore):
    """`url` is that of the repository: …/repositories/NAME. The server ends an update by itself a little
    before we stop waiting for it, and undoes it; it says so by 503.
    """

    def __init__(
        self, url: str, *, access: Access | None = None, update_seconds: float = UPDATE_SECONDS
    ) -> None:
        repository = url.rstrip("/")
        self.statements = f"{repository}/statements"
        limit = max(1, math.floor(update_seconds - MARGIN_SECONDS))
        update_url = f"{self.statements}?timeout={limit}"
        super().__init__(repository, update_url, access=access, update_seconds=update_seconds)

    def drop(self, graph: str) -> None:
        """By the one context. A graph that is not there is no error, and no DROP, which some versions took
        for all graphs.
        """
        context = quote(iri(graph), safe="")
        self._write(
            Call("DELETE", f"{self.statements}?context={context}", b"", self.headers), gone_is_done=True
        )
