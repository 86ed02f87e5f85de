"""Which locale a sample was written in, where its numbers cannot be of the one that the organisation has.

A decimal comma alone is of many; the words of the headings and of yes and no tell which. Where they do not,
the organisation's locale stays. Each column declares its own signs in either case.
"""

import re
from collections.abc import Iterable, Sequence

from ingestion.checking.locales import COMMA_DOT, COMMA_SPACE, DEFAULT, find

WORD = re.compile(r"[^\W\d_]{3,}")
# Of headings in common use; a word that two languages share tells neither.
HEADINGS = {
    "de": "datum betrag menge preis ort straße strasse nummer anzahl jahr kunde bezeichnung vorname nachname",
    "fr": "montant quantité prix nom prénom ville rue numéro nombre année client libellé pays adresse",
    "es": "fecha importe cantidad precio nombre apellido ciudad calle número año cliente descripción",
    "it": "importo quantità prezzo cognome città via numero anno cliente descrizione data nome",
    "nl": "bedrag hoeveelheid prijs naam plaats straat nummer aantal jaar klant omschrijving datum",
    "pl": "kwota ilość cena nazwa imię nazwisko miasto ulica numer liczba rok klient opis data",
    "pt": "valor quantidade preço nome cidade rua número ano cliente descrição",
    "cs": "částka množství cena jméno příjmení město ulice číslo počet rok zákazník popis",
    "sv": "belopp antal pris namn efternamn stad gata nummer år kund beskrivning datum",
}
LANGUAGES = {name: frozenset(words.split()) for name, words in HEADINGS.items()}


def better(tag: str, *, decimal: str | None, headings: Iterable[str], trues: Sequence[str]) -> str:
    """The locale that fits best, or `tag` where that may be the one. `decimal` is the sign that the sample
    surely uses, `trues` its words for yes."""
    if decimal is None or decimal == find(tag).decimal:
        return tag
    if decimal == DEFAULT.decimal:
        return "en"
    words = {word for heading in headings for word in WORD.findall(heading.casefold())}
    yes = {word.casefold() for word in trues}
    scores = {
        name: len(words & LANGUAGES.get(name, frozenset())) + len(yes & set(true))
        for name, (true, _) in (COMMA_DOT | COMMA_SPACE).items()
    }
    best = max(scores.values())
    found = [name for name, score in scores.items() if score == best]
    return found[0] if best and len(found) == 1 else tag
