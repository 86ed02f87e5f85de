"""What a graph is put together from: texts, concepts, addresses, and the small things beside the dataset."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from rdflib import Literal, URIRef

from publishing import vocabularies
from publishing.rendering.canonical import Triple
from publishing.rendering.names import (
    ADMS,
    DCAT,
    DCATAP,
    DCT,
    ELI,
    FOAF,
    GEO,
    RDF,
    RDFS,
    SKOS,
    VCARD,
    XSD,
)


class Things:
    """Triples, as they are added."""

    def __init__(self) -> None:
        self.triples: set[Triple] = set()

    def add(self, subject: URIRef, predicate: URIRef, object: URIRef | Literal) -> None:
        self.triples.add((subject, predicate, object))

    def texts(self, subject: URIRef, predicate: URIRef, by_language: Mapping[str, str] | None) -> None:
        for tag, text in (by_language or {}).items():
            self.add(subject, predicate, Literal(text, lang=tag))

    def typed(self, subject: URIRef, predicate: URIRef, kind: URIRef, values: Iterable[str]) -> None:
        """IRIs that are of a class: the ranges of the profile ask for it."""
        for value in values:
            self.add(subject, predicate, URIRef(value))
            self.add(URIRef(value), RDF.type, kind)

    def concepts(self, subject: URIRef, predicate: URIRef, name: str, values: Iterable[str]) -> None:
        """A concept of which the label is known is described too, as the profile wants every concept."""
        for value in values:
            self.add(subject, predicate, URIRef(value))
            concept = vocabularies.get(name).get(value)
            if concept is not None:
                self.add(URIRef(value), RDF.type, SKOS.Concept)
                self.add(URIRef(value), SKOS.prefLabel, Literal(concept.label_en, lang="en"))

    def chosen(self, dataset: URIRef, metadata: Mapping[str, Any]) -> None:
        """What the form lets people choose of the dataset."""
        self.concepts(dataset, DCAT.theme, "theme", metadata.get("themes", []))
        self.concepts(dataset, DCT.type, "dataset_type", _one(metadata, "type"))
        self.concepts(dataset, DCATAP.hvdCategory, "hvd_category", metadata.get("hvd_categories", []))
        self.typed(dataset, DCT.language, DCT.LinguisticSystem, metadata.get("languages", []))
        self.typed(dataset, DCT.accrualPeriodicity, DCT.Frequency, _one(metadata, "frequency"))
        self.typed(dataset, DCT.accessRights, DCT.RightsStatement, _one(metadata, "access_rights"))
        self.typed(dataset, DCT.conformsTo, DCT.Standard, metadata.get("conforms_to", []))
        self.typed(dataset, DCAT.landingPage, FOAF.Document, _one(metadata, "landing_page"))
        self.typed(dataset, FOAF.page, FOAF.Document, metadata.get("documentation", []))
        self._legislation(dataset, metadata)

    def chosen_for_files(self, distribution: URIRef, metadata: Mapping[str, Any]) -> None:
        """What it lets them choose that belongs to each file."""
        self.typed(distribution, DCT.license, DCT.LicenseDocument, _one(metadata, "licence"))
        self.concepts(distribution, DCATAP.availability, "availability", _one(metadata, "availability"))
        self._legislation(distribution, metadata)

    def statement(
        self, subject: URIRef, predicate: URIRef, by_language: Mapping[str, str] | None, iri: str
    ) -> None:
        """A text that the profile wants as a thing: rights, provenance."""
        if by_language:
            kind = DCT.ProvenanceStatement if predicate == DCT.provenance else DCT.RightsStatement
            self.typed(subject, predicate, kind, [iri])
            self.texts(URIRef(iri), RDFS.label, by_language)

    def area(self, dataset: URIRef, spatial: Mapping[str, Any]) -> None:
        self.typed(dataset, DCT.spatial, DCT.Location, spatial.get("places", []))
        if "bbox" in spatial:
            west, south, east, north = (_decimal(each) for each in spatial["bbox"])
            corners = (west, south), (east, south), (east, north), (west, north), (west, south)
            ring = ",".join(f"{x} {y}" for x, y in corners)
            area = f"{dataset}#area"
            self.typed(dataset, DCT.spatial, DCT.Location, [area])
            self.add(URIRef(area), DCAT.bbox, Literal(f"POLYGON(({ring}))", datatype=GEO.wktLiteral))

    def period(self, dataset: URIRef, temporal: Mapping[str, str]) -> None:
        if not temporal:
            return
        period = URIRef(f"{dataset}#period")
        self.typed(dataset, DCT.temporal, DCT.PeriodOfTime, [period])
        for name, predicate in (("start", DCAT.startDate), ("end", DCAT.endDate)):
            if name in temporal:
                self.add(period, predicate, Literal(temporal[name], datatype=XSD.date, normalize=False))

    def identifiers(self, dataset: URIRef, identifiers: Iterable[str]) -> None:
        for number, identifier in enumerate(identifiers, start=1):
            other = URIRef(f"{dataset}#identifier-{number}")
            self.typed(dataset, ADMS.identifier, ADMS.Identifier, [other])
            self.add(other, SKOS.notation, Literal(identifier))

    def contact(self, iri: str, contact: Mapping[str, str], dataset: str) -> None:
        if not contact:
            return
        node = URIRef(iri)
        self.add(URIRef(dataset), DCAT.contactPoint, node)
        self.add(node, RDF.type, VCARD.Kind)
        if "name" in contact:
            self.add(node, VCARD.fn, Literal(contact["name"]))
        if "email" in contact:
            self.add(node, VCARD.hasEmail, URIRef(f"mailto:{quote(contact['email'], safe=MAILTO_SAFE)}"))
        if "page" in contact:
            self.add(node, VCARD.hasURL, URIRef(contact["page"]))
        if digits := re.sub(r"[^0-9+]", "", contact.get("telephone", "")):
            self.add(node, VCARD.hasTelephone, URIRef(f"tel:{digits}"))

    def _legislation(self, subject: URIRef, metadata: Mapping[str, Any]) -> None:
        laws = metadata.get("applicable_legislation", [])
        self.typed(subject, DCATAP.applicableLegislation, ELI.LegalResource, laws)


MAILTO_SAFE = "@+-._~!$&'*="


def _one(metadata: Mapping[str, Any], name: str) -> list[str]:
    return [metadata[name]] if metadata.get(name) else []


def _decimal(number: float) -> str:
    """Without an exponent."""
    return f"{number:.7f}".rstrip("0").rstrip(".")
