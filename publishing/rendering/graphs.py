"""The graph of an entry, after DCAT-AP 3.0.1: everything that is a thing has an IRI, every value its type."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from rdflib import Graph, Literal, URIRef

from publishing.describing import Description, FileOfVersion, Version
from publishing.rendering.canonical import Triple, ordered_graph
from publishing.rendering.names import ADMS, DCAT, DCT, FOAF, RDF, SPDX, XSD
from publishing.rendering.things import Things

CHECKSUM_ALGORITHM = SPDX.checksumAlgorithm_sha256


def entry_graph(description: Description) -> Graph:
    things = Things()
    _dataset(things, description)
    _publisher(things, description)
    things.contact(description.contact, description.metadata.get("contact", {}), description.dataset)
    for version in description.versions:
        _version(things, version, description)
    for file in description.files:
        _distribution(things, file, description)
    _service(things, description)
    return ordered_graph(things.triples)


def _dataset(things: Things, description: Description) -> None:
    dataset, metadata = URIRef(description.dataset), description.metadata
    things.add(URIRef(description.catalogue), DCAT.dataset, dataset)
    things.add(dataset, RDF.type, DCAT.Dataset)
    things.add(dataset, DCT.identifier, Literal(description.dataset))
    things.texts(dataset, DCT.title, metadata.get("title"))
    things.texts(dataset, DCT.description, metadata.get("description"))
    for tag, keywords in metadata.get("keywords", {}).items():
        for keyword in keywords:
            things.add(dataset, DCAT.keyword, Literal(keyword, lang=tag))
    things.chosen(dataset, metadata)
    things.statement(dataset, DCT.provenance, metadata.get("provenance"), f"{dataset}#provenance")
    things.area(dataset, metadata.get("spatial", {}))
    things.period(dataset, metadata.get("temporal", {}))
    things.identifiers(dataset, metadata.get("other_identifiers", []))
    things.texts(dataset, ADMS.versionNotes, metadata.get("version_notes"))
    if description.issued is not None:
        things.add(dataset, DCT.issued, moment(description.issued))
    if description.version is not None:
        things.add(dataset, DCT.modified, moment(description.version.issued))
        things.add(dataset, DCAT.version, Literal(str(description.version.number)))


def _publisher(things: Things, description: Description) -> None:
    publisher = URIRef(description.publisher)
    own: dict[str, Any] = description.metadata.get("publisher", {})
    things.add(URIRef(description.dataset), DCT.publisher, publisher)
    things.add(publisher, RDF.type, FOAF.Agent)
    things.texts(publisher, FOAF.name, own.get("name") or description.default_publisher)
    things.concepts(publisher, DCT.type, "publisher_type", _given(own.get("type")))
    things.typed(publisher, FOAF.homepage, FOAF.Document, _given(own.get("homepage")))


def _version(things: Things, version: Version, description: Description) -> None:
    """Without the type of a dataset, or harvesters would list each version as one of its own."""
    iri, dataset = URIRef(version.iri), URIRef(description.dataset)
    earlier = [each.iri for each in description.versions if each.number < version.number]
    things.add(dataset, DCAT.hasVersion, iri)
    things.add(iri, DCAT.isVersionOf, dataset)
    things.add(iri, DCAT.version, Literal(str(version.number)))
    things.add(iri, DCT.issued, moment(version.issued))
    if version.notes:
        things.add(iri, ADMS.versionNotes, Literal(version.notes))
    if earlier:
        things.add(iri, DCAT.previousVersion, URIRef(earlier[-1]))


def _distribution(things: Things, file: FileOfVersion, description: Description) -> None:
    iri, metadata = URIRef(file.iri), description.metadata
    things.add(URIRef(description.dataset), DCAT.distribution, iri)
    things.add(iri, RDF.type, DCAT.Distribution)
    things.add(iri, DCT.title, Literal(file.format.title, lang="en"))
    things.add(iri, DCT.description, Literal(_sentence(file), lang="en"))
    things.add(iri, DCAT.accessURL, URIRef(file.access_url))
    things.add(iri, DCAT.downloadURL, URIRef(file.download_url))
    things.add(iri, DCAT.accessService, _service_iri(description))
    things.typed(iri, DCAT.mediaType, DCT.MediaType, [file.format.media_type_iri])
    things.typed(iri, DCT["format"], DCT.MediaTypeOrExtent, [file.format.file_type])
    things.chosen_for_files(iri, metadata)
    things.statement(iri, DCT.rights, metadata.get("rights"), f"{description.dataset}#rights")
    if description.version is not None:
        things.add(iri, DCT.issued, moment(description.version.issued))
        things.add(iri, DCT.modified, moment(description.version.issued))
    if file.size is not None:
        things.add(iri, DCAT.byteSize, literal(str(file.size), XSD.nonNegativeInteger))
    if file.sha256:
        checksum = URIRef(f"{file.iri}-checksum")
        things.add(iri, SPDX.checksum, checksum)
        things.add(checksum, RDF.type, SPDX.Checksum)
        things.add(checksum, SPDX.algorithm, CHECKSUM_ALGORITHM)
        things.add(checksum, SPDX.checksumValue, literal(file.sha256, XSD.hexBinary))


def _sentence(file: FileOfVersion) -> str:
    if file.records is None:
        return f"All records as {file.format.title}."
    return (
        f"All {file.records:,} records as {file.format.title}."
        if file.records != 1
        else (f"The one record as {file.format.title}.")
    )


def _service(things: Things, description: Description) -> None:
    """The catalogue answers programs at its own address."""
    service = _service_iri(description)
    things.add(service, RDF.type, DCAT.DataService)
    things.add(service, DCT.title, Literal("The catalogue for programs", lang="en"))
    things.add(service, DCAT.endpointURL, URIRef(description.catalogue))
    things.add(service, DCAT.servesDataset, URIRef(description.dataset))


def _service_iri(description: Description) -> URIRef:
    return URIRef(f"{description.catalogue}#service")


def moment(at: datetime) -> Literal:
    """Whole seconds of UTC with `Z`: the one spelling that no store rewrites."""
    return literal(at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), XSD.dateTime)


def literal(text: str, datatype: URIRef) -> Literal:
    return Literal(text, datatype=datatype, normalize=False)


def _given(value: str | None) -> Iterable[str]:
    return [value] if value else []


__all__ = ["Triple", "entry_graph", "literal", "moment"]
