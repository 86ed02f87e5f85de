"""The graph of an entry is canonical, typed, and the same in every serialisation and to every parser."""

import random
from dataclasses import replace

import pyoxigraph
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import Graph, URIRef
from rdflib.compare import isomorphic

from publishing import iris
from publishing.describing import describe, preview
from publishing.metadata import MetadataInvalid, clean
from publishing.models import Publication
from publishing.rendering import canonical, render
from publishing.rendering.serialising import SERIALISATIONS, serialise
from publishing.states import PublicationState
from tests.factories import EntryFactory, PublicationFactory
from tests.publishing.describing import CATALOGUE, DATASET, FULL, description

pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib reading JSON-LD

OF_PYOXIGRAPH = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "jsonld": pyoxigraph.RdfFormat.JSON_LD,
    "rdfxml": pyoxigraph.RdfFormat.RDF_XML,
    "ntriples": pyoxigraph.RdfFormat.N_TRIPLES,
}
OF_RDFLIB = {"turtle": "turtle", "jsonld": "json-ld", "rdfxml": "xml", "ntriples": "nt"}


@pytest.fixture(scope="module")
def full():
    return render(description())


def read_by_pyoxigraph(data, name):
    """Sorted N-Triples of what another parser reads, in its own spelling."""
    triples = {
        pyoxigraph.Triple(each.subject, each.predicate, each.object)
        for each in pyoxigraph.parse(data, OF_PYOXIGRAPH[name])
    }
    written = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    return b"".join(sorted(line + b"\n" for line in written.split(b"\n") if line))


@pytest.mark.parametrize("name", SERIALISATIONS)
def test_every_serialisation_reads_the_same(full, name):
    data = serialise(full.triples, name)

    assert read_by_pyoxigraph(data, name) == full.triples
    assert isomorphic(
        Graph().parse(data=data, format=OF_RDFLIB[name]), Graph().parse(data=full.triples, format="nt")
    )


def test_equal_descriptions_are_equal_bytes(full):
    shuffled = random.Random(1).sample(list(full.graph), len(full.graph))
    again = render(description())

    assert (again.turtle, again.triples, again.sha256) == (full.turtle, full.triples, full.sha256)
    assert canonical.sorted_triples(shuffled) == full.triples
    assert serialise(full.triples, "turtle") == full.turtle
    assert [serialise(again.triples, name) for name in SERIALISATIONS] == [
        serialise(full.triples, name) for name in SERIALISATIONS
    ]


XSD = "http://www.w3.org/2001/XMLSchema#"
CSV = f"<{DATASET}/versions/3#csv>"
D = f"<{DATASET}>"


@pytest.mark.parametrize(
    "triple",
    [
        f"<{CATALOGUE}> <http://www.w3.org/ns/dcat#dataset> {D}",
        f'{CSV} <http://www.w3.org/ns/dcat#byteSize> "1234"^^<{XSD}nonNegativeInteger>',
        f"<{DATASET}/versions/3#csv-checksum> <http://spdx.org/rdf/terms#checksumValue> "
        f'"{"00ff" * 16}"^^<{XSD}hexBinary>',
        f"{CSV} <http://purl.org/dc/terms/format> "
        "<http://publications.europa.eu/resource/authority/file-type/CSV>",
        f"{CSV} <http://www.w3.org/ns/dcat#mediaType> "
        "<https://www.iana.org/assignments/media-types/text/csv>",
        f'{D} <http://purl.org/dc/terms/issued> "2026-01-01T12:00:00Z"^^<{XSD}dateTime>',
        f'{D} <http://purl.org/dc/terms/modified> "2026-03-01T12:00:00Z"^^<{XSD}dateTime>',
        f'<{DATASET}#period> <http://www.w3.org/ns/dcat#endDate> "2026-01-31"^^<{XSD}date>',
        f'<{DATASET}#area> <http://www.w3.org/ns/dcat#bbox> "POLYGON((10.9 55.3,24.2 55.3,24.2 69.1,'
        '10.9 69.1,10.9 55.3))"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
        f"<{DATASET}#contact> <http://www.w3.org/2006/vcard/ns#hasEmail> <mailto:desk@example.org>",
        f'<{DATASET}#identifier-2> <http://www.w3.org/2004/02/skos/core#notation> "p\\"2"',
        f"<{DATASET}/versions/3> <http://www.w3.org/ns/dcat#previousVersion> <{DATASET}/versions/1>",
        f"{D} <http://www.w3.org/ns/dcat#hasVersion> <{DATASET}/versions/1>",
        f'{D} <http://www.w3.org/ns/dcat#version> "3"',
    ],
)
def test_values_are_typed_and_things_are_iris(full, triple):
    assert f"{triple} .\n".encode() in full.triples.splitlines(keepends=True)


def test_every_file_is_a_thing_of_its_own(full):
    files = set(full.graph.objects(URIRef(DATASET), URIRef("http://www.w3.org/ns/dcat#distribution")))

    assert files == {URIRef(f"{DATASET}/versions/3#{name}") for name in ("csv", "json", "jsonl", "xml")}
    assert b"_:" not in full.triples


NASTY = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t\"\\'<>&]"), min_size=1)


@settings(max_examples=10, deadline=None)
@given(text=NASTY)
@example("x" * 10_000)
@example('"""quotes\'\'\' \\n \\ ]]> &amp; <b>\n\n\t"')
@example("🏔️ قمم الجبال \u202eשלום\u2028\u0085 e\u0301")
def test_texts_come_back_from_every_serialisation(text):
    try:
        metadata = clean({"title": {"en": text}, "other_identifiers": [text[:300]]})
    except MetadataInvalid:  # noncharacters, and texts of blanks
        return
    wanted = metadata["title"]["en"]
    rendered = render(description(metadata, files=(), versions=()))

    assert wanted == text.strip()
    for name in SERIALISATIONS:
        data = serialise(rendered.triples, name)
        graph = Graph().parse(data=data, format=OF_RDFLIB[name])
        title = graph.value(URIRef(DATASET), URIRef("http://purl.org/dc/terms/title"))
        assert str(title) == wanted
        assert read_by_pyoxigraph(data, name) == rendered.triples


def test_describe_says_the_same_before_and_after_publication(db, settings):
    settings.PUBLIC_BASE_URL = "https://outside.example.org"
    entry = EntryFactory(metadata=clean({"title": {"en": "Peaks"}}))
    first = published(entry)
    second = PublicationFactory(entry=entry)
    before = render(describe(entry, publication=second, distributions=[], versions=[first]))

    publish(second)
    after = render(describe(entry, publication=second, distributions=[], versions=[first, second]))

    assert after.sha256 == before.sha256
    assert iris.dataset(entry.organisation.slug, entry.identifier).startswith("https://outside.example.org/")
    assert b"127.0.0.1" not in after.triples
    assert b"localhost" not in after.triples


def published(entry):
    return publish(PublicationFactory(entry=entry))


def publish(publication):
    Publication.objects.filter(pk=publication.pk).update(
        published_at=publication.accepted_at,
        finished_at=publication.accepted_at,
        due_at=None,
        state=PublicationState.PUBLISHED,
        turtle=b"x",
        triples=b"x",
    )
    publication.refresh_from_db()
    return publication


def test_preview_needs_no_publication(db):
    entry = EntryFactory()
    whole = preview(entry, FULL)

    assert [each.format.name for each in whole.files] == ["csv", "json", "jsonl", "xml"]
    assert render(replace(whole, files=())).sha256 != render(whole).sha256
