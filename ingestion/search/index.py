"""The index that this installation searches. Others come behind the same protocol, chosen by a setting."""

from ingestion.search.postgres import PostgresIndex
from ingestion.search.protocol import SearchIndex


def index() -> SearchIndex:
    return PostgresIndex()
