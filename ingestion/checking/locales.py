"""What a locale says about numbers, dates and words; only what the checks need."""

from typing import NamedTuple


class Locale(NamedTuple):
    """How people of a locale write. `order` is that of day, month and year; `group` separates thousands."""

    decimal: str
    group: str
    order: str
    true: tuple[str, ...]
    false: tuple[str, ...]


DEFAULT = Locale(".", ",", "dmy", ("yes",), ("no",))
COMMA_DOT = {
    "de": (("wahr", "ja"), ("falsch", "nein")),
    "nl": (("waar", "ja"), ("onwaar", "nee")),
    "da": (("sand", "ja"), ("falsk", "nej")),
    "es": (("verdadero", "sí", "si"), ("falso", "no")),
    "it": (("vero", "sì", "si"), ("falso", "no")),
    "pt": (("verdadeiro", "sim"), ("falso", "não", "nao")),
    "ro": (("adevărat", "da"), ("fals", "nu")),
    "hr": (("istina", "da"), ("laž", "ne")),
    "sl": (("true", "da"), ("false", "ne")),
    "el": (("αληθής", "ναι"), ("ψευδής", "όχι")),
    "tr": (("doğru", "evet"), ("yanlış", "hayır")),
    "id": (("benar", "ya"), ("salah", "tidak")),
}
COMMA_SPACE = {
    "fr": (("vrai", "oui"), ("faux", "non")),
    "pl": (("prawda", "tak"), ("fałsz", "nie")),
    "cs": (("pravda", "ano"), ("nepravda", "ne")),
    "sk": (("pravda", "áno"), ("nepravda", "nie")),
    "bg": (("истина", "да"), ("невярно", "не")),
    "uk": (("істина", "так"), ("хибність", "ні")),
    "ru": (("истина", "да"), ("ложь", "нет")),
    "sv": (("sant", "ja"), ("falskt", "nej")),
    "nb": (("sann", "ja"), ("usann", "nei")),
    "fi": (("tosi", "kyllä"), ("epätosi", "ei")),
    "et": (("tõene", "jah"), ("väär", "ei")),
    "lv": (("patiess", "jā"), ("nepatiess", "nē")),
    "lt": (("teisinga", "taip"), ("neteisinga", "ne")),
    "hu": (("igaz", "igen"), ("hamis", "nem")),
}
YEAR_FIRST = {"hu", "lt", "sv", "ja", "zh", "ko"}
MONTH_FIRST = {"en-us", "en-ph"}


def find(name: str) -> Locale:
    """The locale by its tag ("de", "pt-BR", "en_US"); English with the day first when it is not known."""
    tag = name.replace("_", "-").lower()
    language = tag.split("-")[0]
    order = "mdy" if tag in MONTH_FIRST else "ymd" if language in YEAR_FIRST else "dmy"
    if tag in ("de-ch", "de-li", "it-ch"):
        true, false = COMMA_DOT[language]
        return Locale(".", "’", order, true, false)
    if language in COMMA_DOT:
        return Locale(",", ".", order, *COMMA_DOT[language])
    if language in COMMA_SPACE:
        return Locale(",", " ", order, *COMMA_SPACE[language])
    return DEFAULT._replace(order=order)
