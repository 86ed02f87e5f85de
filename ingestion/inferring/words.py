"""Words that are no values of their own: those for a missing value, and those for yes and no."""

from ingestion.checking.locales import COMMA_DOT, COMMA_SPACE, Locale
from ingestion.inferring.seen import Seen

# Beside numbers and dates all of these can only mean that there is none.
MISSING = {
    "n/a", "na", "#n/a", "n.a.", "n. a.", "k.a.", "k. a.", "nv", "#nv", "null", "none", "nil", "nan", "-",
    "--", "---", "–", "—", ".", "..", "...", "?", "x", "keine", "unbekannt", "unknown", "(blank)",
    "(leer)", "tbd",
}  # fmt: skip
# Beside other texts only these: “x” or “unknown” may be a value there, and NA is Namibia.
MISSING_IN_TEXT = {"n/a", "#n/a", "#nv", "null", "(null)", "(blank)", "(leer)", "-", "--", "–", "—"}
ENGLISH = ((("true", "yes", "y"), ("false", "no", "n")), (("on",), ("off",)))
LANGUAGES = {**COMMA_DOT, **COMMA_SPACE}
SHORT = ((("j",), ("n",)), (("o",), ("n",)), (("t",), ("f",)))


def missing(seen: Seen, known: set[str]) -> list[str]:
    """The texts of the column that are one of these words, as they are written."""
    return sorted({text for text in seen.texts() if text.casefold() in known})


def boolean(seen: Seen, locale: Locale) -> dict[str, object] | None:
    """The field of a column of yes and no. Words must be of one language, and both of them occur."""
    decoded = list(seen.decoded())
    if any(taken.type not in "bs" for taken in decoded):
        return None
    written = seen.texts()
    if not written:
        return {"type": "boolean"}
    folded = {text.casefold() for text in written}
    for true, false in ((locale.true, locale.false), *ENGLISH, *LANGUAGES.values(), *SHORT):
        yes, no = _words(true) | {"true"}, _words(false) | {"false"}
        if folded <= yes | no and folded & yes and folded & no and not yes & no:
            return {"type": "boolean", **_declared(written, yes, locale)}
    return None


def _declared(written: list[str], yes: set[str], locale: Locale) -> dict[str, list[str]]:
    """Nothing, when the field knows the words by itself."""
    known = {"true", "false", *_words(locale.true), *_words(locale.false)}
    if {text.casefold() for text in written} <= known:
        return {}
    true = sorted({text for text in written if text.casefold() in yes})
    return {"trueValues": true, "falseValues": sorted(set(written) - set(true))}


def _words(words: tuple[str, ...]) -> set[str]:
    return {word.casefold() for word in words}
