"""What an entry says of its dataset: the shape of `Entry.metadata`, and its checks.

    title, description            {language: text}
    keywords                      {language: [text]}
    publisher                     {"name": {language: text}, "type": IRI, "homepage": address}
    contact                       {"name": text, "email": text, "page": address, "telephone": text}
    themes, languages             [IRI of the code list]
    licence, access_rights,
    frequency, availability, type IRI of the code list
    rights, provenance,
    version_notes                 {language: text}
    spatial                       {"places": [IRI], "bbox": [west, south, east, north] in degrees}
    temporal                      {"start": "2026-01-31", "end": …}, either may be missing
    conforms_to, documentation,
    applicable_legislation        [address]
    landing_page                  address
    other_identifiers             [text]
    hvd_categories                [IRI of the code list]

Languages are BCP 47 tags in lower case. What is empty is left out, so equal metadata are equal JSON.
"""

import difflib
from collections.abc import Callable
from typing import Any

from publishing.metadata_coverage import bounding_box, period
from publishing.metadata_values import (
    FieldProblem,
    Problems,
    coded,
    coded_list,
    email,
    mapping,
    text_list,
    texts,
    web,
    web_list,
    words,
)
from publishing.metadata_values import plain_text as text

__all__ = ["FIELDS", "FieldProblem", "MetadataInvalid", "clean", "languages_of"]

TITLE, LONG, NAME = 10_000, 50_000, 300  # characters
Cleaner = Callable[[Any, str, Problems], Any]

FIELDS: dict[str, Cleaner] = {
    "title": texts(TITLE),
    "description": texts(LONG),
    "keywords": words(limit=200, most=100),
    "publisher": mapping({"name": texts(NAME), "type": coded("publisher_type"), "homepage": web}),
    "contact": mapping({"name": text(NAME), "email": email, "page": web, "telephone": text(60)}),
    "themes": coded_list("theme"),
    "languages": coded_list("language"),
    "licence": coded("licence"),
    "access_rights": coded("access_right"),
    "rights": texts(LONG),
    "frequency": coded("frequency"),
    "spatial": mapping({"places": coded_list("place"), "bbox": bounding_box}),
    "temporal": period,
    "provenance": texts(LONG),
    "conforms_to": web_list,
    "landing_page": web,
    "documentation": web_list,
    "version_notes": texts(LONG),
    "type": coded("dataset_type"),
    "availability": coded("availability"),
    "other_identifiers": text_list(NAME),
    "applicable_legislation": web_list,
    "hvd_categories": coded_list("hvd_category"),
}


class MetadataInvalid(Exception):
    """`problems` are all that were found, in the order of the fields."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{each.field}: {each.message}" for each in problems))
        self.problems = problems


def clean(data: Any) -> dict[str, Any]:
    """Canonical metadata, of which `clean` gives the same again. A title is all that must be there: the rest
    is for the validation to ask for. Raises MetadataInvalid.
    """
    problems = Problems()
    if not isinstance(data, dict):
        problems.add("", "wrong_type", "Metadata are an object of fields.", "Send a JSON object.")
        raise MetadataInvalid(problems.found)
    for name in data.keys() - FIELDS.keys():
        _unknown(str(name), problems)
    cleaned = {name: cleaner(data.get(name), name, problems) for name, cleaner in FIELDS.items()}
    if not cleaned["title"] and not any(each.field.startswith("title") for each in problems.found):
        problems.add("title", "missing", "There is no title.", "Write one in at least one language.")
    if problems.found:
        raise MetadataInvalid(problems.found)
    return {name: value for name, value in cleaned.items() if value not in (None, "", [], {})}


def languages_of(metadata: dict[str, Any]) -> list[str]:
    """The tags in which the title is written, English first."""
    return sorted(metadata.get("title", {}), key=lambda tag: (tag != "en", tag))


def _unknown(name: str, problems: Problems) -> None:
    near = difflib.get_close_matches(name, FIELDS, n=1)
    problems.add(
        name[:80],
        "unknown_field",
        "There is no such field.",
        f"Perhaps you mean {near[0]}." if near else f"The fields are {', '.join(FIELDS)}.",
    )
