"""The tables of publishing."""

from publishing.models.catalogue import CatalogueWrite
from publishing.models.entries import Entry, ExternalService
from publishing.models.exports import ExportCleanup, LocalExport
from publishing.models.publications import Distribution, Failure, Publication, Removal
from publishing.models.schedules import Schedule, Slot

__all__ = [
    "CatalogueWrite", "Distribution", "Entry", "ExportCleanup", "ExternalService", "Failure", "LocalExport",
    "Publication", "Removal", "Schedule", "Slot",
]  # fmt: skip
