"""Checks of single values of metadata. Each takes the value as it came, the field's path and the problems
found so far, and gives the canonical value, or None where there is none or a problem was added.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from publishing import vocabularies, web_iris

MOST = 100  # values of one field
TAG = re.compile(r"[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*")
EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]+@[^\s@<>\"(),:;\\\[\]/?#%]+\.[^\s@.<>\"(),:;\\\[\]/?#%]+")


@dataclass(frozen=True)
class FieldProblem:
    """`field` is a path, for instance `title.sv` or `themes.0`; `code` is stable; `message` says what is
    wrong and `remedy` what to do; `suggestion` is a value that would do, where one is near.
    """

    field: str
    code: str
    message: str
    remedy: str
    suggestion: str = ""


@dataclass
class Problems:
    found: list[FieldProblem] = field(default_factory=list)

    def add(self, field: str, code: str, message: str, remedy: str, suggestion: str = "") -> None:
        self.found.append(FieldProblem(field, code, message, remedy, suggestion))

    def wrong_type(self, path: str, wanted: str) -> None:
        self.add(path, "wrong_type", f"This must be {wanted}.", f"Send {wanted}.")


Cleaner = Callable[[Any, str, Problems], Any]


def plain_text(limit: int) -> Cleaner:
    def check(value: Any, path: str, problems: Problems) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            problems.wrong_type(path, "text")
            return None
        # line ends are the one thing that XML changes in a text
        value = value.replace("\r\n", "\n").replace("\r", "\n").strip()
        if len(value) > limit:
            problems.add(
                path,
                "too_long",
                f"{len(value):,} characters, and {limit:,} are the most.",
                "Shorten the text.",
            )
            return None
        place = next((at for at, each in enumerate(value, start=1) if _unprintable(each)), None)
        if place is not None:
            problems.add(
                path,
                "control_character",
                f"Character {place} is a control character, which not every format can hold.",
                "Take it out, or type the text anew.",
            )
            return None
        return value or None

    return check


def _unprintable(character: str) -> bool:
    if character in "\n\t":
        return False
    is_nonchar = 0xFDD0 <= ord(character) <= 0xFDEF or ord(character) & 0xFFFE == 0xFFFE
    return is_nonchar or unicodedata.category(character) in ("Cc", "Cs")


def printable(text: str) -> str:
    """A text that was never checked, without what not every format can hold."""
    joined = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(each for each in joined if not _unprintable(each)).strip()


def texts(limit: int) -> Cleaner:
    """{language: text}, by language."""
    return _by_language(plain_text(limit))


def words(*, limit: int, most: int) -> Cleaner:
    """{language: [text]}, without repetitions."""
    return _by_language(_each(plain_text(limit), most))


def _by_language(check_one: Cleaner) -> Cleaner:
    def check(value: Any, path: str, problems: Problems) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            problems.wrong_type(path, 'texts by language, like {"en": …}')
            return None
        cleaned: dict[str, Any] = {}
        for raw, each in value.items():
            tag = _tag(raw, path, problems)
            if tag is None:
                continue
            if tag in cleaned:
                problems.add(
                    f"{path}.{tag}", "language_twice", f"The language {tag} is there twice.", "Leave one out."
                )
                continue
            one = check_one(each, f"{path}.{tag}", problems)
            if one:
                cleaned[tag] = one
        return dict(sorted(cleaned.items()))

    return check


def _tag(raw: Any, path: str, problems: Problems) -> str | None:
    tag = str(raw).strip().lower()
    if TAG.fullmatch(tag):
        return tag
    near = tag.replace("_", "-")
    concept = vocabularies.get("language").nearest(tag)
    suggestion = near if TAG.fullmatch(near) else concept.tag if concept else ""
    problems.add(
        f"{path}.{str(raw)[:40]}",
        "not_a_language",
        f"{str(raw)[:40]!r} is no language tag.",
        f"Perhaps you mean {suggestion}." if suggestion else "Use a tag like en, sv or de-at.",
        suggestion,
    )
    return None


def text_list(limit: int) -> Cleaner:
    return _each(plain_text(limit), MOST)


def _each(check_one: Cleaner, most: int = MOST) -> Cleaner:
    def check(value: Any, path: str, problems: Problems) -> list[Any] | None:
        if value is None:
            return None
        if not isinstance(value, list):
            problems.wrong_type(path, "a list")
            return None
        if len(value) > most:
            problems.add(
                path, "too_many", f"{len(value)} values, and {most} are the most.", "Leave some out."
            )
            return None
        checked = [check_one(each, f"{path}.{number}", problems) for number, each in enumerate(value)]
        return list(dict.fromkeys(each for each in checked if each))

    return check


def mapping(parts: dict[str, Cleaner]) -> Cleaner:
    def check(value: Any, path: str, problems: Problems) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            problems.wrong_type(path, "an object")
            return None
        for name in value.keys() - parts.keys():
            known = ", ".join(parts)
            problems.add(
                f"{path}.{str(name)[:40]}", "unknown_field", "There is no such field.", f"There are {known}."
            )
        cleaned = {name: part(value.get(name), f"{path}.{name}", problems) for name, part in parts.items()}
        return {name: each for name, each in cleaned.items() if each not in (None, "", [], {})}

    return check


def web(value: Any, path: str, problems: Problems) -> str | None:
    """An address on the web, as an IRI."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        problems.wrong_type(path, "an address")
        return None
    try:
        return web_iris.made_valid(value)
    except web_iris.IriInvalid as error:
        problems.add(path, error.code, error.message, error.remedy)
        return None


web_list = _each(web)


def coded(name: str) -> Cleaner:
    """An IRI of a code list. One that the list lacks passes here: the validation says what that means. A text
    that is no IRI is refused with the nearest concept.
    """

    def check(value: Any, path: str, problems: Problems) -> str | None:
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            problems.wrong_type(path, "the IRI of a concept")
            return None
        iri = _other_spelling(value.strip(), name)
        if vocabularies.get(name).holds(iri):
            return iri
        if "://" in iri:
            return web(iri, path, problems)
        _say_nearest(iri, name, path, problems)
        return None

    return check


def coded_list(name: str) -> Cleaner:
    return _each(coded(name))


def _other_spelling(iri: str, name: str) -> str:
    """Browsers show https, the lists say http."""
    vocabulary = vocabularies.get(name)
    http = f"http{iri.removeprefix('https')}"
    return http if iri.startswith("https://") and vocabulary.holds(http) else iri


def _say_nearest(text: str, name: str, path: str, problems: Problems) -> None:
    vocabulary = vocabularies.get(name)
    near = vocabulary.nearest(text)
    problems.add(
        path,
        "not_in_list",
        f"{text[:80]!r} is no entry of the list of {vocabulary.title}.",
        f"Perhaps you mean {near.label_en}: {near.iri}" if near else "Choose one from the list.",
        near.iri if near else "",
    )


def email(value: Any, path: str, problems: Problems) -> str | None:
    text = plain_text(254)(value, path, problems)
    if text is None:
        return None
    text = text.removeprefix("mailto:")
    if not EMAIL.fullmatch(text):
        problems.add(
            path,
            "not_an_email",
            "This is no e-mail address.",
            "Write it like open-data@example.org.",
        )
        return None
    return str(text)
