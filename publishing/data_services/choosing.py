"""Which data service an entry's exports come from."""

from publishing.data_services.http import HttpDataService
from publishing.data_services.local import LocalDataService
from publishing.data_services.protocol import DataService
from publishing.models import Entry, ExternalService


def service_of(entry: Entry) -> DataService:
    return of(entry.service)


def of(service: ExternalService | None) -> DataService:
    """Our own for None."""
    return LocalDataService() if service is None else HttpDataService(service)
