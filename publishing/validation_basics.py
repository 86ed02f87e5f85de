"""What every entry's graph must be, which shapes cannot ask: a graph without a dataset fulfils them all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyoxigraph
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.term import Node

from publishing.rendering import Rendered
from publishing.rendering.names import ADMS, DCAT, DCT, FOAF, RDF, RDFS, SKOS, VCARD
from publishing.web_iris import is_valid

FIELDS = {
    DCT.accessRights: "access_rights", DCT.accrualPeriodicity: "frequency", DCT.conformsTo: "conforms_to",
    DCT.description: "description", DCT.language: "languages", DCT.license: "licence",
    DCT.spatial: "spatial", DCT.title: "title", DCT.type: "type", DCAT.keyword: "keywords",
    DCAT.landingPage: "landing_page", DCAT.theme: "themes", FOAF.homepage: "publisher.homepage",
    FOAF.name: "publisher.name", FOAF.page: "documentation", RDFS.label: "rights",
    SKOS.notation: "other_identifiers", VCARD.fn: "contact.name", VCARD.hasEmail: "contact.email",
    VCARD.hasURL: "contact.page", ADMS.versionNotes: "version_notes",
}  # fmt: skip
IN_ALL_LANGUAGES = (DCT.title, DCT.description)


@dataclass(frozen=True)
class Basic:
    UNREADABLE: ClassVar[str] = "The graph cannot be read back from what would be written."

    message: str
    focus: str = ""
    path: str = ""
    field: str = ""
    value: str = ""


def basics(rendered: Rendered) -> Iterator[Basic]:
    """Every breach. Where the bytes cannot be read, only that."""
    try:
        list(pyoxigraph.parse(rendered.triples, pyoxigraph.RdfFormat.N_TRIPLES))
    except SyntaxError as error:
        iris = list(_iris(rendered.graph))
        yield from iris
        yield Basic(Basic.UNREADABLE, value=str(error)[:300])
        return
    yield from _one_dataset(rendered.graph)
    yield from _iris(rendered.graph)
    yield from _texts(rendered.graph)
    for dataset in rendered.graph.subjects(RDF.type, DCAT.Dataset):
        yield from _languages(rendered.graph, dataset)


def _one_dataset(graph: Graph) -> Iterator[Basic]:
    datasets = set(graph.subjects(RDF.type, DCAT.Dataset))
    if len(datasets) != 1:
        yield Basic(f"An entry describes one dataset, and this describes {len(datasets)}.")
    for dataset in datasets:
        files = [
            each
            for each in graph.objects(dataset, DCAT.distribution)
            if (each, RDF.type, DCAT.Distribution) in graph
        ]
        if not files:
            yield Basic("The dataset has no file.", str(dataset), str(DCAT.distribution))


def _iris(graph: Graph) -> Iterator[Basic]:
    for subject, predicate, value in graph:
        if isinstance(value, BNode):
            yield Basic("A thing has no address of its own.", str(subject), str(predicate), _field(predicate))
        if isinstance(value, URIRef) and not is_valid(str(value)):
            yield Basic(
                "This is no absolute, valid address.",
                str(subject), str(predicate), _field(predicate), str(value)[:300],
            )  # fmt: skip
    for subject in set(graph.subjects()):
        if not is_valid(str(subject)):
            yield Basic("This is no absolute, valid address.", str(subject)[:300], value=str(subject)[:300])


def _texts(graph: Graph) -> Iterator[Basic]:
    for subject, predicate, value in graph:
        if isinstance(value, Literal) and not str(value).strip():
            yield Basic("This text is empty.", str(subject), str(predicate), _field(predicate))


def _languages(graph: Graph, dataset: Node) -> Iterator[Basic]:
    """Title and description are in the same languages, and say in which."""
    said = {
        predicate: {each.language for each in graph.objects(dataset, predicate) if isinstance(each, Literal)}
        for predicate in IN_ALL_LANGUAGES
    }
    everywhere = {tag for tags in said.values() for tag in tags if tag}
    for predicate, tags in said.items():
        field = FIELDS[predicate]
        if None in tags:
            yield Basic(
                f"The {field} does not say in which language it is.", str(dataset), str(predicate), field
            )
        for tag in sorted(everywhere - tags) if tags else []:
            yield Basic(
                f"The {field} is missing in the language {tag}, in which there are others.",
                str(dataset), str(predicate), f"{field}.{tag}",
            )  # fmt: skip


def _field(predicate: Node) -> str:
    return FIELDS.get(predicate, "")  # type: ignore[call-overload]
