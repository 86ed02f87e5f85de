"""Each rule is broken alone, found with its level and the form's field, and gates as its tier says."""

import logging
import socket

import pytest
from django.core.exceptions import ImproperlyConfigured
from rdflib import Literal, URIRef

from publishing.rendering import Rendered, canonical, render
from publishing.rendering.names import DCAT, DCATAP, DCT, FOAF, RDF, SKOS, SPDX, VCARD, XSD
from publishing.validation import Report, shapes_graph, validate
from tests.publishing.describing import DATASET, FULL, description

D = URIRef(DATASET)
PUBLISHER, CONTACT, PERIOD, AREA = (
    URIRef(f"{D}#{each}") for each in ("publisher", "contact", "period", "area")
)
CSV = URIRef(f"{DATASET}/versions/3#csv")
CHECKSUM = URIRef(f"{CSV}-checksum")
SERVICE = URIRef("https://data.example.org/catalogue#service")
THEME = URIRef("http://publications.europa.eu/resource/authority/data-theme/ENVI")
ELSEWHERE = URIRef("https://example.org/elsewhere")
FORMAT = DCT["format"]


def changed(*, without=(), given=()):
    """The full graph without what a pattern takes away, and with further triples."""
    graph = canonical.ordered_graph(render(description()).graph)
    for pattern in without:
        graph.remove(pattern)
    for triple in given:
        graph.add(triple)
    return Rendered(b"", canonical.sorted_triples(graph), "", graph)


def put(subject, predicate, *values):
    return changed(
        without=[(subject, predicate, None)], given=[(subject, predicate, each) for each in values]
    )


def brief(report):
    return sorted({(each.level, each.severity, each.field) for each in report.findings})


def test_a_full_description_has_nothing_to_find():
    report = validate(render(description()), "high")

    assert (report.findings, report.conforms, report.gates) == ((), True, [])
    assert report.as_json()["findings"] == []


TEXT = Literal("text", lang="en")
VIOLATIONS = [  # the thing, its property, the values it has instead, and the field to mend
    (D, DCT.description, [], "description"),
    (D, DCT.publisher, [PUBLISHER, URIRef(f"{D}#other")], "publisher"),
    (D, DCAT.contactPoint, [TEXT], "contact"),
    (D, DCAT.keyword, [ELSEWHERE], "keywords"),
    (D, DCAT.theme, [TEXT, THEME], "themes"),
    (D, DCT.accessRights, [TEXT], "access_rights"),
    (D, DCT.spatial, [TEXT], "spatial"),
    (D, DCT.temporal, [TEXT], "temporal"),
    (D, DCT.conformsTo, [TEXT], "conforms_to"),
    (D, DCAT.landingPage, [TEXT], "landing_page"),
    (D, FOAF.page, [TEXT], "documentation"),
    (D, DCT.provenance, [TEXT], "provenance"),
    (D, DCT.type, [TEXT], "type"),
    (D, DCATAP.applicableLegislation, [], "applicable_legislation"),
    (D, DCT.issued, [Literal("2026-01-01")], ""),
    (D, DCT.modified, [Literal("2026-01-01")], ""),
    (D, DCAT.version, [Literal("1"), Literal("2")], ""),
    (CSV, DCAT.accessURL, [], ""),
    (CSV, DCAT.accessURL, [TEXT], ""),
    (CSV, DCAT.downloadURL, [TEXT], ""),
    (CSV, DCAT.byteSize, [Literal("12", datatype=XSD.decimal)], ""),
    (CSV, DCAT.byteSize, [Literal("-1", datatype=XSD.nonNegativeInteger)], ""),
    (CSV, DCT.license, [TEXT], "licence"),
    (CSV, DCT.rights, [TEXT], "rights"),
    (CSV, DCT.issued, [Literal("yesterday", datatype=XSD.date)], ""),
    (CSV, SPDX.checksum, [Literal("00ff")], ""),
    (PUBLISHER, FOAF.name, [], "publisher.name"),
    (PUBLISHER, DCT.type, [Literal("authority")], "publisher.type"),
    (CONTACT, VCARD.hasEmail, [Literal("desk@example.org")], "contact.email"),
    (CHECKSUM, SPDX.checksumValue, [Literal("00ff")], ""),
    (CHECKSUM, SPDX.checksumValue, [], ""),
    (CHECKSUM, SPDX.algorithm, [], ""),
    (PERIOD, DCAT.startDate, [Literal("2026-01-01")], "temporal.start"),
    (URIRef(f"{D}#identifier-1"), SKOS.notation, [], "other_identifiers"),
    (THEME, SKOS.prefLabel, [], ""),
    (SERVICE, DCT.title, [], ""),
    (SERVICE, DCAT.endpointURL, [], ""),
]


@pytest.mark.parametrize(("subject", "predicate", "values", "field"), VIOLATIONS)
def test_a_broken_rule_gates_the_high_tier(subject, predicate, values, field):
    report = validate(put(subject, predicate, *values), "high")

    found = {(each.level, each.field, each.focus, each.path) for each in report.gates}
    assert ("T1", field, str(subject), str(predicate)) in found
    assert all(each.message for each in report.gates)
    assert Report("basic", report.findings).gates == []


@pytest.mark.parametrize(
    ("subject", "predicate", "field"),
    [
        (D, DCT.language, "languages"),
        (D, DCT.accrualPeriodicity, "frequency"),
        (CSV, DCATAP.availability, "availability"),
        (CSV, FORMAT, ""),
        (CSV, DCAT.mediaType, ""),
        (CHECKSUM, SPDX.algorithm, ""),
    ],
)
def test_a_list_that_must_be_used_gates_the_high_tier(subject, predicate, field):
    (gate,) = validate(put(subject, predicate, ELSEWHERE), "high").gates

    assert (gate.level, gate.field, gate.value) == ("T3", field, str(ELSEWHERE))


@pytest.mark.parametrize(
    ("subject", "predicate", "values", "found"),
    [
        (D, DCAT.theme, [], ("T2", "warning", "themes")),
        (D, DCAT.theme, [ELSEWHERE], ("T3", "warning", "themes")),
        (D, DCAT.keyword, [], ("T2", "warning", "keywords")),
        (D, DCT.spatial, [], ("T2", "warning", "spatial")),
        (D, DCT.temporal, [], ("T2", "warning", "temporal")),
        (D, DCAT.contactPoint, [], ("T2", "warning", "contact")),
        (D, DCT.publisher, [], ("T2", "warning", "publisher")),
        (D, DCT.accessRights, [ELSEWHERE], ("T3", "warning", "access_rights")),
        (CSV, DCT.license, [], ("T2", "warning", "licence")),
        (CSV, DCT.license, [ELSEWHERE], ("T3", "warning", "licence")),
        (CSV, DCATAP.availability, [], ("T2", "warning", "availability")),
        (PUBLISHER, DCT.type, [], ("T2", "warning", "publisher.type")),
        (PERIOD, DCAT.endDate, [], ("T2", "warning", "temporal.end")),
    ],
)
def test_a_warning_never_gates(subject, predicate, values, found):
    report = validate(put(subject, predicate, *values), "high")

    assert brief(report) == [found]
    assert report.gates == []


@pytest.mark.parametrize(
    ("rendered", "said", "field"),
    [
        (lambda: changed(without=[(D, RDF.type, DCAT.Dataset)]), "this describes 0", ""),
        (lambda: changed(given=[(ELSEWHERE, RDF.type, DCAT.Dataset)]), "this describes 2", ""),
        (lambda: changed(without=[(D, DCAT.distribution, None)]), "has no file", ""),
        (lambda: put(D, DCT.title, Literal("A", lang="en"), Literal(" ", lang="sv")), "empty", "title"),
        (lambda: put(D, DCT.title, Literal("A", lang="en")), "missing in the language sv", "title.sv"),
        (lambda: put(D, DCT.title, Literal("A")), "does not say in which language", "title"),
        (lambda: put(D, DCAT.landingPage, URIRef("relative")), "cannot be read", ""),
        (lambda: put(D, DCAT.landingPage, URIRef("https://a b/")), "no absolute, valid", "landing_page"),
    ],
)
def test_what_every_graph_must_be_gates_both_tiers(rendered, said, field):
    for tier in ("basic", "high"):
        gates = [each for each in validate(rendered(), tier).gates if each.level == "T0"]
        assert any(said in each.message and each.field == field for each in gates)


def test_the_report_is_json_that_says_what_gates():
    told = validate(put(D, DCT.description), "high").as_json()

    assert (told["tier"], told["conforms"], told["gates"]) == ("high", False, 1)
    assert told["counts"] == {"violation": 1}
    assert told["findings"] == [
        {
            "severity": "violation",
            "level": "T1",
            "focus": DATASET,
            "path": str(DCT.description),
            "field": "description",
            "message": "Write a description, one text in each language.",
            "value": "",
            "gates": True,
        }
    ]


def test_every_shape_says_what_to_do():
    shapes = shapes_graph(())
    sh = "http://www.w3.org/ns/shacl#"
    properties = {each for each in shapes.subjects(URIRef(f"{sh}path")) if isinstance(each, URIRef)}

    assert len(properties) > 80
    for each in properties:
        for name in (f"{sh}message", f"{sh}severity", "urn:waybill:shape:level", "urn:waybill:shape:field"):
            assert shapes.value(each, URIRef(name)) is not None, (each, name)


def test_a_national_profile_is_added_and_nothing_is_fetched(settings, tmp_path, monkeypatch):
    profile = tmp_path / "national.ttl"
    profile.write_text("""
        @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
        <urn:national> a owl:Ontology ; owl:imports <http://127.0.0.1:9/never> .
        <urn:national:dataset> a sh:NodeShape ; sh:targetClass dcat:Dataset ;
            sh:property [ sh:path dct:creator ; sh:minCount 1 ; sh:message "Name a creator." ] .
    """)
    settings.SHACL_EXTRA_SHAPES = [str(profile)]
    asked = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: asked.append(address))

    (gate,) = validate(render(description()), "high").gates

    assert (gate.level, gate.message, gate.focus) == ("T1", "Name a creator.", DATASET)
    assert asked == []


@pytest.mark.parametrize("text", [None, "no Turtle at all", "<a> <b"])
def test_shapes_that_cannot_be_read_are_named(settings, tmp_path, text):
    profile = tmp_path / "national.ttl"
    if text is not None:
        profile.write_text(text)
    settings.SHACL_EXTRA_SHAPES = [str(profile)]

    with pytest.raises(ImproperlyConfigured, match=r"national\.ttl holds no shapes"):
        validate(render(description()), "high")


def test_hostile_texts_stay_texts(caplog):
    metadata = {
        **FULL,
        "title": {"en": "<http://127.0.0.1:9/x> owl:imports", "sv": '{"@context": "http://x"}'},
    }

    with caplog.at_level(logging.DEBUG, logger="rdflib.term"):
        report = validate(render(description(metadata)), "high")

    assert report.findings == ()
    assert [each for each in caplog.records if each.name == "rdflib.term"] == []
