"""Metadata are made canonical, or refused with the field, what is wrong, and what would do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publishing import metadata, vocabularies
from publishing.metadata import MetadataInvalid, clean

AUTHORITY = "http://publications.europa.eu/resource/authority"
TITLE = {"en": "Peaks"}


def problems(**fields):
    with pytest.raises(MetadataInvalid) as raised:
        clean({"title": TITLE, **fields})
    return [(each.field, each.code) for each in raised.value.problems]


def test_clean_gives_one_spelling():
    cleaned = clean(
        {
            "title": {"SV": " Toppar\r\n", "en": "Peaks", "fr": ""},
            "keywords": {"en": ["a", "a", " b "]},
            "licence": f"{AUTHORITY}/licence/CC_BY_4_0".replace("http:", "https:"),
            "landing_page": "HTTPS://example.org/a b<c>",
            "temporal": {"start": "20260131", "end": None},
            "spatial": {"bbox": ["-0.0", 1, 2, 3.00000001]},
            "themes": [],
            "contact": {"name": "", "email": "mailto:a@example.org"},
        }
    )

    assert cleaned == {
        "title": {"en": "Peaks", "sv": "Toppar"},
        "keywords": {"en": ["a", "b"]},
        "licence": f"{AUTHORITY}/licence/CC_BY_4_0",
        "landing_page": "https://example.org/a%20b%3Cc%3E",
        "temporal": {"start": "2026-01-31"},
        "spatial": {"bbox": [0.0, 1.0, 2.0, 3.0]},
        "contact": {"email": "a@example.org"},
    }
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("titel", "x", ("titel", "unknown_field")),
        ("description", "text", ("description", "wrong_type")),
        ("description", {"sv_SE": "x"}, ("description.sv_SE", "not_a_language")),
        ("description", {"en": "x", "EN": "y"}, ("description.en", "language_twice")),
        ("description", {"en": "x" * 50_001}, ("description.en", "too_long")),
        ("description", {"en": "a\x00b"}, ("description.en", "control_character")),
        ("description", {"en": "a\ud800b"}, ("description.en", "control_character")),
        ("keywords", {"en": ["x"] * 101}, ("keywords.en", "too_many")),
        ("themes", ["Environment"], ("themes.0", "not_in_list")),
        ("landing_page", "www.example.org", ("landing_page", "iri_without_scheme")),
        ("landing_page", "localhost:8000/x", ("landing_page", "iri_without_scheme")),
        ("landing_page", "javascript:alert(1)", ("landing_page", "iri_scheme")),
        ("landing_page", "ftp://example.org/", ("landing_page", "iri_scheme")),
        ("landing_page", "http://a b/", ("landing_page", "iri_host")),
        ("landing_page", "https://user:word@example.org/", ("landing_page", "iri_host")),
        ("landing_page", "https://example.org/\x07", ("landing_page", "iri_control_character")),
        ("documentation", ["https://example.org/" + "x" * 2_000], ("documentation.0", "iri_too_long")),
        ("contact", {"email": "nobody"}, ("contact.email", "not_an_email")),
        ("temporal", {"start": "31.1.2026"}, ("temporal.start", "not_a_date")),
        ("temporal", {"start": "2026-02-01", "end": "2026-01-01"}, ("temporal.end", "period_backwards")),
        ("spatial", {"bbox": [0, 0, 181, 1]}, ("spatial.bbox.2", "bbox_number")),
        ("spatial", {"bbox": [0, 5, 1, 1]}, ("spatial.bbox.1", "bbox_upside_down")),
    ],
)
def test_clean_names_the_field(field, value, found):
    assert problems(**{field: value}) == [found]


def test_clean_wants_a_title():
    with pytest.raises(MetadataInvalid, match="There is no title"):
        clean({"description": {"en": "x"}})


@pytest.mark.parametrize(
    ("field", "text", "nearest"),
    [
        ("licence", "cc by 4.0", "http://creativecommons.org/licenses/by/4.0/"),
        ("licence", "Creative Commons Attribution 4.0", f"{AUTHORITY}/licence/CC_BY_4_0"),
        ("frequency", "Månatlig", f"{AUTHORITY}/frequency/MONTHLY"),
        ("frequency", "mounthly", f"{AUTHORITY}/frequency/MONTHLY"),
        ("access_rights", "offentlig", f"{AUTHORITY}/access-right/PUBLIC"),
    ],
)
def test_text_for_a_concept_is_refused_with_the_nearest(field, text, nearest):
    with pytest.raises(MetadataInvalid) as raised:
        clean({"title": TITLE, field: text})

    (problem,) = raised.value.problems
    assert (problem.field, problem.code, problem.suggestion) == (field, "not_in_list", nearest)
    assert nearest in problem.remedy


def test_vocabularies_are_whole():
    for name in vocabularies.NAMES:
        concepts = vocabularies.get(name).concepts
        assert len({each.iri for each in concepts}) == len(concepts)
        assert all(each.label_en and each.iri.startswith("http") for each in concepts)


def test_languages_are_found_by_tag():
    assert vocabularies.language_of_tag("sv-fi").iri == f"{AUTHORITY}/language/SWE"
    assert [each.tag for each in vocabularies.get("language").search("swed")] == ["sv"]


json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted(metadata.FIELDS)), value=json)
def test_clean_takes_anything(field, value):
    try:
        cleaned = clean({"title": TITLE, field: value})
    except MetadataInvalid:
        return
    assert clean(cleaned) == cleaned
