"""How good an entry's metadata are, by the method of data.europa.eu (MQA): 405 points in five dimensions.

Presence counts, number does not; of several files the best one counts. Whether addresses answer is known only
after publication: until then they give no points, and the reason says so.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rdflib import Graph, URIRef
from rdflib.term import Node

from publishing import vocabularies
from publishing.rendering import Rendered
from publishing.rendering.names import DCAT, DCT, RDF
from publishing.validation import Report

MOST = 405
RATINGS = ((351, "excellent"), (221, "good"), (121, "sufficient"), (0, "bad"))  # from these points on
OPEN_AND_READABLE = {
    "CSV",
    "JSON",
    "JSON_LD",
    "GEOJSON",
    "XML",
    "RDF_XML",
    "RDF_TURTLE",
    "RDF_N_TRIPLES",
    "TSV",
}
IANA = ("https://www.iana.org/assignments/media-types/", "http://www.iana.org/assignments/media-types/")


@dataclass(frozen=True)
class Indicator:
    """`points` of `most`; `reason` says why, `remedy` what to do (empty where all points are given); `field`
    is the form's, empty where it is not people's to mend.
    """

    name: str
    dimension: str
    points: int
    most: int
    reason: str
    remedy: str
    field: str = ""


@dataclass(frozen=True)
class Score:
    """`rating` is excellent, good, sufficient or bad."""

    points: int
    rating: str
    indicators: tuple[Indicator, ...]

    def as_json(self) -> dict[str, Any]:
        """{"points", "most", "rating", "dimensions": {name: {"points", "most"}}, "indicators": [{name,
        dimension, points, most, reason, remedy, field}]}.
        """
        dimensions: dict[str, dict[str, int]] = {}
        for each in self.indicators:
            sums = dimensions.setdefault(each.dimension, {"points": 0, "most": 0})
            sums["points"] += each.points
            sums["most"] += each.most
        return {
            "points": self.points,
            "most": MOST,
            "rating": self.rating,
            "dimensions": dimensions,
            "indicators": [asdict(each) for each in self.indicators],
        }


def score(rendered: Rendered, report: Report, urls: Mapping[str, int] | None = None) -> Score:
    """`urls` are the HTTP statuses that addresses of files answered with (0: none), where they were asked."""
    marks = _Marks(rendered.graph)
    _findability(marks)
    _accessibility(marks, urls)
    _interoperability(marks, report)
    _reusability(marks)
    _contextuality(marks)
    points = sum(each.points for each in marks.indicators)
    rating = next(name for least, name in RATINGS if points >= least)
    return Score(points, rating, tuple(marks.indicators))


class _Marks:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.dataset = next(iter(sorted(graph.subjects(RDF.type, DCAT.Dataset), key=str)), None)
        self.files = sorted(graph.objects(self.dataset, DCAT.distribution), key=str) if self.dataset else []
        self.indicators: list[Indicator] = []

    def of_dataset(self, predicate: URIRef) -> set[Node]:
        return set(self.graph.objects(self.dataset, predicate)) if self.dataset else set()

    def of_files(self, predicate: URIRef) -> set[Node]:
        return {value for each in self.files for value in self.graph.objects(each, predicate)}

    def mark(
        self,
        name: str,
        dimension: str,
        most: int,
        given: object,
        yes: str,
        no: str,
        remedy: str,
        field: str = "",
    ) -> None:
        self.indicators.append(
            Indicator(name, dimension, most, most, yes, "", field)
            if given
            else Indicator(name, dimension, 0, most, no, remedy, field)
        )


def _findability(marks: _Marks) -> None:
    for name, most, predicate, yes, no, remedy in (
        ("keywords", 30, DCAT.keyword, "There are keywords.", "There are no keywords.", "Add keywords."),
        ("themes", 30, DCAT.theme, "There is a theme.", "There is no theme.", "Choose at least one theme."),
        (
            "spatial", 20, DCT.spatial,
            "The places are told.", "The places are not told.", "Choose places, or give a box.",
        ),
        (
            "temporal", 20, DCT.temporal,
            "The period is told.", "The period is not told.", "Say from when to when the data are.",
        ),
    ):  # fmt: skip
        marks.mark(name, "findability", most, marks.of_dataset(predicate), yes, no, remedy, name)


def _accessibility(marks: _Marks, urls: Mapping[str, int] | None) -> None:
    downloads = marks.of_files(DCAT.downloadURL)
    _answers(marks, "access_url_answers", 50, marks.of_files(DCAT.accessURL), "page of the files", urls)
    marks.mark(
        "download_url", "accessibility", 20, downloads,
        "Files can be downloaded.", "No file has an address for its download.", "Publish a version.",
    )  # fmt: skip
    _answers(marks, "download_url_answers", 30, downloads, "download", urls)


def _answers(
    marks: _Marks, name: str, most: int, addresses: set[Node], what: str, urls: Mapping[str, int] | None
) -> None:
    known = urls or {}
    statuses = {str(each): known[str(each)] for each in addresses if str(each) in known}
    good = any(200 <= status < 300 for status in statuses.values())
    worst = ", ".join(f"{status or 'no answer'}" for status in sorted(set(statuses.values())))
    no = (
        f"The {what} did not answer as it should: {worst}."
        if statuses
        else f"The {what} was not asked for yet."
    )
    remedy = (
        "Look whether the address opens in a browser." if statuses else "It is asked for after publication."
    )
    marks.mark(name, "accessibility", most, good, f"The {what} answers.", no, remedy)


def _interoperability(marks: _Marks, report: Report) -> None:
    formats, media = marks.of_files(DCT["format"]), marks.of_files(DCAT.mediaType)
    types = vocabularies.get("file_type")
    codes = {concept.code for each in formats if (concept := types.get(str(each)))}
    listed = codes or any(str(each).startswith(IANA) for each in media)
    readable = codes & OPEN_AND_READABLE
    dimension, publish = "interoperability", "Publish a version in CSV, JSON or XML."
    marks.mark(
        "format", dimension, 20, formats, "Files say their format.", "No file says its format.", publish
    )
    marks.mark(
        "media_type",
        dimension,
        10,
        media,
        "Files say their media type.",
        "No file says its media type.",
        publish,
    )
    marks.mark(
        "format_vocabulary", dimension, 10, listed,
        "Format or media type is of the known lists.", "No format or media type is of the known lists.",
        publish,
    )  # fmt: skip
    marks.mark(
        "non_proprietary", dimension, 20, readable,
        "There is a file in a format that nobody owns.", "No file has a format that nobody owns.", publish,
    )  # fmt: skip
    marks.mark(
        "machine_readable", dimension, 20, readable,
        "There is a file that programs can read.", "There is no file that programs can read.", publish,
    )  # fmt: skip
    broken = sum(each.severity == "violation" for each in report.findings)
    marks.mark(
        "dcat_ap", dimension, 30, report.conforms,
        "The metadata conform to DCAT-AP.", f"The metadata break {broken} rules of DCAT-AP.",
        "Mend what the report of the validation lists as violations.",
    )  # fmt: skip


def _reusability(marks: _Marks) -> None:
    licences, rights = marks.of_files(DCT.license), marks.of_dataset(DCT.accessRights)
    dimension, pick = "reusability", "Choose one from the list."
    marks.mark(
        "licence", dimension, 20, licences, "There is a licence.", "There is no licence.",
        "Choose a licence: without one nobody knows what may be done with the data.", "licence",
    )  # fmt: skip
    marks.mark(
        "licence_vocabulary", dimension, 10, _listed(licences, "licence"),
        "The licence is of the known list.", "No licence of the known list is given.", pick, "licence",
    )  # fmt: skip
    marks.mark(
        "access_rights", dimension, 10, rights,
        "There are access rights.", "There are no access rights.", pick, "access_rights",
    )  # fmt: skip
    marks.mark(
        "access_rights_vocabulary", dimension, 5, _listed(rights, "access_right"),
        "The access rights are of the EU’s list.", "No access rights of the EU’s list are given.",
        pick, "access_rights",
    )  # fmt: skip
    marks.mark(
        "contact", dimension, 20, marks.of_dataset(DCAT.contactPoint),
        "There is a contact point.", "There is no contact point.", "Say whom people can ask.", "contact",
    )  # fmt: skip
    marks.mark(
        "publisher", dimension, 10, marks.of_dataset(DCT.publisher),
        "There is a publisher.", "There is no publisher.", "Name the publisher.", "publisher",
    )  # fmt: skip


def _listed(values: set[Node], name: str) -> bool:
    return any(vocabularies.get(name).holds(str(each)) for each in values)


def _contextuality(marks: _Marks) -> None:
    dimension = "contextuality"
    either = {name: marks.of_dataset(name) | marks.of_files(name) for name in (DCT.issued, DCT.modified)}
    marks.mark(
        "rights", dimension, 5, marks.of_files(DCT.rights),
        "There is a statement of rights.", "There is no statement of rights.",
        "Say what else people must know before they use the data.", "rights",
    )  # fmt: skip
    for name, given, what in (
        ("byte_size", marks.of_files(DCAT.byteSize), "size of a file"),
        ("issued", either[DCT.issued], "date of release"),
        ("modified", either[DCT.modified], "date of the last change"),
    ):
        marks.mark(
            name,
            dimension,
            5,
            given,
            f"The {what} is told.",
            f"The {what} is not told.",
            "Publish a version.",
        )
