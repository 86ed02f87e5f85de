"""The code lists that metadata choose from: compact copies of our own writing, read once, never changed.

Each list is a file beside this one: a head of `# name: value`, then one concept a line: its code (appended
to `base`) or its whole IRI, its English label, and `language=label` for others, between tabs. `open` is a
pattern of codes that belong to the list though it does not spell them out.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = (
    "access_right", "availability", "dataset_type", "file_type", "frequency", "hvd_category", "language",
    "licence", "place", "publisher_type", "theme",
)  # fmt: skip
LIKE_ENOUGH = 0.5  # of difflib's ratio: below it the nearest label is no help


@dataclass(frozen=True)
class Concept:
    """`labels` by language, English among them; `tag` is the BCP 47 tag of a language."""

    iri: str
    code: str
    label_en: str
    labels: dict[str, str]
    tag: str = ""

    def label(self, language: str = "en") -> str:
        return self.labels.get(language, self.label_en)


@dataclass(frozen=True)
class Vocabulary:
    """`title` in the plural, for sentences; `scheme` is the IRI of the list, empty where there are many."""

    name: str
    title: str
    scheme: str
    base: str
    concepts: tuple[Concept, ...]
    open: re.Pattern[str] | None = None
    by_iri: dict[str, Concept] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.concepts)

    def get(self, iri: str) -> Concept | None:
        return self.by_iri.get(iri)

    def holds(self, iri: str) -> bool:
        if iri in self.by_iri:
            return True
        if self.open is None:
            return False
        return self.open.fullmatch(iri.removeprefix(self.base)) is not None

    def label(self, iri: str, language: str = "en") -> str:
        """For people: the IRI itself where the list does not spell it out."""
        concept = self.by_iri.get(iri)
        return concept.label(language) if concept else iri

    def search(self, text: str, limit: int = 20) -> list[Concept]:
        """Concepts with the text in a label, the code or the tag; those that begin with it first."""
        wanted = text.strip().casefold()
        found = [
            (min(each.find(wanted) for each in _names(concept) if wanted in each), concept.label_en, concept)
            for concept in self.concepts
            if any(wanted in each for each in _names(concept))
        ]
        return [concept for _, _, concept in sorted(found, key=lambda each: each[:2])][:limit]

    def nearest(self, text: str) -> Concept | None:
        """The concept that somebody who typed this most likely means."""
        wanted = " ".join(text.split()).casefold()[:200]
        if not wanted:
            return None
        for concept in self.concepts:
            if wanted in _names(concept):
                return concept
        if len(wanted) > 1 and (found := self.search(wanted, 1)):
            return found[0]
        likest = max(self.concepts, key=lambda each: _likeness(wanted, each))
        return likest if _likeness(wanted, likest) >= LIKE_ENOUGH else None


@cache
def get(name: str) -> Vocabulary:
    """Raises KeyError for a list that there is not."""
    if name not in NAMES:
        raise KeyError(name)
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    head = {
        name: value for name, _, value in (line[2:].partition(": ") for line in lines if line[:2] == "# ")
    }
    concepts = tuple(_concept(line, head["base"]) for line in lines if line and not line.startswith("# "))
    return Vocabulary(
        name=name,
        title=head["title"],
        scheme=head["scheme"].strip(),
        base=head["base"],
        concepts=concepts,
        open=re.compile(head["open"]) if "open" in head else None,
        by_iri={concept.iri: concept for concept in concepts},
    )


def language_of_tag(tag: str) -> Concept | None:
    """The EU's language for a BCP 47 tag: `sv-fi` is Swedish."""
    primary = tag.split("-")[0].lower()
    return next((each for each in get("language") if each.tag == primary), None)


def _concept(line: str, base: str) -> Concept:
    code, label, *more = line.split("\t")
    named = dict(each.split("=", 1) for each in more)
    tag = named.pop("tag", "")
    iri = code if code.startswith("http") else base + code
    return Concept(iri, iri.removeprefix(base), label, {"en": label, **named}, tag)


def _names(concept: Concept) -> tuple[str, ...]:
    spaced = concept.code.replace("_", " ").casefold()
    names = (*(label.casefold() for label in concept.labels.values()), concept.code.casefold(), spaced)
    return (*names, concept.tag) if concept.tag else names


def _likeness(wanted: str, concept: Concept) -> float:
    return max(difflib.SequenceMatcher(None, wanted, name).ratio() for name in _names(concept))
