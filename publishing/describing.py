"""What the catalogue says of an entry at one version, as a plain value: all that rendering needs to know.

The only module of rendering that reads the database.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from publishing import iris
from publishing.formats import FORMATS, Format
from publishing.metadata_values import printable
from publishing.models import Distribution, Entry, Publication
from publishing.states import PublicationState


@dataclass(frozen=True)
class FileOfVersion:
    """`size` in bytes; `sha256` in lower-case hex, empty where it is not known yet."""

    iri: str
    format: Format
    access_url: str
    download_url: str
    size: int | None
    sha256: str
    records: int | None


@dataclass(frozen=True)
class Version:
    iri: str
    number: int
    issued: datetime
    notes: str = ""


@dataclass(frozen=True)
class Description:
    """Addresses are IRIs. `metadata` has the shape of `publishing.metadata`; `default_publisher` names the
    organisation, by language, and stands in for a publisher of the entry's own. `versions` are those that
    the catalogue links to, `version` among them, by number.
    """

    catalogue: str
    dataset: str
    publisher: str
    contact: str
    metadata: dict[str, Any]
    default_publisher: dict[str, str]
    issued: datetime | None
    version: Version | None
    files: tuple[FileOfVersion, ...]
    versions: tuple[Version, ...] = field(default=())


def describe(
    entry: Entry,
    *,
    publication: Publication,
    distributions: Iterable[Distribution],
    versions: Iterable[Publication],
) -> Description:
    """The entry when `publication` is its current version and `versions` (published, not removed; with or
    without it) are there to be found. Says the same whenever it is asked: what is dated is dated by requests.
    """
    at = _version(entry, publication)
    linked = {each.version: _version(entry, each) for each in versions} | {at.number: at}
    first = (
        Publication.objects.filter(entry=entry, state=PublicationState.PUBLISHED)
        .order_by("version")
        .values_list("accepted_at", flat=True)
        .first()
    )
    files = tuple(_file(entry, publication.version, each) for each in distributions)
    metadata = entry.metadata if publication.metadata is None else publication.metadata
    return _description(
        entry,
        metadata,
        issued=min(each for each in (first, at.issued) if each is not None),
        version=at,
        files=files,
        versions=tuple(linked[number] for number in sorted(linked)),
    )


def preview(entry: Entry, metadata: dict[str, Any], formats: Sequence[str] = tuple(FORMATS)) -> Description:
    """The entry as its next version would describe it with these metadata, before there is any file: for
    live validation. Reads nothing but the entry and its organisation.
    """
    number = entry.last_version + 1
    where = entry.organisation.slug, entry.identifier, number
    files = tuple(
        FileOfVersion(
            iri=iris.distribution(*where, name),
            format=FORMATS[name],
            access_url=iris.version(*where),
            download_url=iris.file(*where, f"{entry.identifier}.{FORMATS[name].ending}"),
            size=0,
            sha256="0" * 64,
            records=None,
        )
        for name in formats
    )
    version = Version(iris.version(*where), number, entry.created_at)
    return _description(
        entry, metadata, issued=version.issued, version=version, files=files, versions=(version,)
    )


def _description(entry: Entry, metadata: dict[str, Any], **told: Any) -> Description:
    organisation = entry.organisation
    where = organisation.slug, entry.identifier
    # a publisher that only this entry names so has an IRI of its own, or two names would meet at one
    own = f"{iris.dataset(*where)}#publisher" if metadata.get("publisher") else iris.publisher(where[0])
    return Description(
        catalogue=iris.catalogue(),
        dataset=iris.dataset(*where),
        publisher=own,
        contact=iris.contact(*where),
        metadata=metadata,
        default_publisher={organisation.locale.lower().replace("_", "-"): printable(organisation.title)},
        **told,
    )


def _version(entry: Entry, publication: Publication) -> Version:
    iri = iris.version(entry.organisation.slug, entry.identifier, publication.version)
    return Version(iri, publication.version, publication.accepted_at, printable(publication.version_notes))


def _file(entry: Entry, number: int, distribution: Distribution) -> FileOfVersion:
    where = entry.organisation.slug, entry.identifier, number
    return FileOfVersion(
        iri=iris.distribution(*where, distribution.format),
        format=FORMATS[distribution.format],
        access_url=iris.version(*where),
        download_url=iris.file(*where, distribution.filename),
        size=distribution.size,
        sha256=distribution.sha256.lower(),
        records=distribution.records,
    )
