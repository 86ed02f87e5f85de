"""Which columns, alone or in pairs, tell every row of the sample from every other."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

KEY_TYPES = {"string", "integer", "date", "year", "yearmonth"}
HEADED_KEY = re.compile(
    r"(?:^|[\W_])(id|ids|nr|no|num|number|nummer|code|kennung|key|schl[uü]ssel|ref|reference|uuid|iban|ean|isbn|"
    r"sku|icao|numero|n[uú]mero|codice|c[oó]digo)(?:$|[\W_])|(?:id|nr|code|nummer|number|key)$",
    re.IGNORECASE,
).search
LONGEST_VALUE = 60
PAIRED = 12
MOST_CANDIDATES = 10


def candidates(
    fields: Sequence[dict[str, Any]], fragments: Sequence[Sequence[str | None]]
) -> list[list[str]]:
    """Names of fields, the best first; pairs only where no single field will do.

    `fragments` are the stored values of each field, row by row; "null" is blank.
    """
    able = [
        place
        for place, field in enumerate(fields)
        if field.get("type", "string") in KEY_TYPES and _always_there(fragments[place])
    ]
    able.sort(key=lambda place: (_rank(fields[place]), place))
    single = [[place] for place in able if len(set(fragments[place])) == len(fragments[place])]
    found = single or [
        list(pair)
        for pair in combinations(able[:PAIRED], 2)
        if len(set(zip(*(fragments[place] for place in pair), strict=True))) == len(fragments[pair[0]])
    ]
    return [[fields[place]["name"] for place in places] for places in found[:MOST_CANDIDATES]]


def _always_there(values: Sequence[str | None]) -> bool:
    return len(values) > 1 and all(
        value is not None and value != "null" and len(value) <= LONGEST_VALUE for value in values
    )


def _rank(field: dict[str, Any]) -> int:
    """Lower is likelier: a heading that speaks of a key, then codes, then days, then free text."""
    if HEADED_KEY(field.get("title", "")) or HEADED_KEY(field["name"]):
        return 0
    kind = field.get("type", "string")
    if kind == "string":
        return 1 if field.get("format") != "email" else 2
    return {"integer": 3, "date": 4, "year": 4, "yearmonth": 4}[kind]
