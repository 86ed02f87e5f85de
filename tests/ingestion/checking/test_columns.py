"""Whole columns are converted by short cuts. Each of them must give what reading cell by cell gives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.checking.columns import Faulty
from ingestion.checking.fields import build_field
from ingestion.checking.locales import find

FIELDS = [
    {"type": "string"},
    {"type": "string", "missingValues": ["", "-", "n/a", "0"]},
    {"type": "string", "format": "email"},
    {
        "type": "string",
        "constraints": {"required": True, "minLength": 2, "maxLength": 5, "pattern": "[a-z0-9 ]+"},
    },
    {"type": "string", "constraints": {"enum": ["a", "1", "1.5"]}},
    {"type": "integer"},
    {"type": "integer", "constraints": {"minimum": -5, "maximum": 100}, "missingValues": ["-1", ""]},
    {"type": "number"},
    {"type": "number", "constraints": {"minimum": 0.3, "required": True}},
    {"type": "number", "decimalChar": ","},
    {"type": "number", "groupChar": ",", "bareNumber": False},
    {"type": "number", "constraints": {"enum": [1, 1.5]}},
    {"type": "boolean"},
    {"type": "date"},
    {"type": "date", "format": "%d.%m.%Y"},
    {"type": "datetime"},
    {"type": "datetime", "constraints": {"minimum": "2000-01-01T00:00:00"}},
    {"type": "datetime", "format": "%d.%m.%Y %H:%M"},
    {"type": "time"},
    {"type": "year"},
    {"type": "yearmonth"},
    {"type": "any"},
]
DIGITS = st.from_regex(r"\A[+-]?[0-9]{1,18}([.,][0-9]{0,18})?(e-?[0-9])?\Z")
MOMENTS = st.datetimes().map(lambda moment: moment.isoformat())
CELLS = {
    "text": st.text("ab1 -\u00a0\u200b\x00\x7f\ud800é", max_size=6),
    "number": st.one_of(
        st.integers(-(10**18), 10**18), st.integers(-9, 200), st.floats(allow_nan=False, allow_infinity=False)
    ),
    "digits": DIGITS,
    "moment": st.one_of(
        MOMENTS, MOMENTS.map(lambda text: text[:19].replace("T", " ")), MOMENTS.map(lambda text: text[:10])
    ),
    "cell": st.one_of(
        MOMENTS.map(lambda text: f"\x7fd{text[:19]}\x7fdt"),
        MOMENTS.map(lambda text: f"\x7fd{text[:10]}\x7fd"),
        st.sampled_from(
            ["\x7fb1", "\x7fb0", "\x7fe#N/A", "\x7ff", "\x7fn60\x7fd", "\x7fn0.5\x7f%", "\x7fn7\x7fz:000"]
        ),
        st.sampled_from(
            ["\x7fn1.5\x7fc:EUR", "\x7fn0.25\x7fdu", "\x7fn1E400\x7fg", "\x7fs\x7fx", "2021-02-30 10:00:00"]
        ),
    ),
    "blank": st.none(),
}


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field['type']}-{FIELDS.index(field)}")
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_column_gives_what_its_cells_give(field, locale, data):
    kinds = data.draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=2, unique=True))
    cells = data.draw(st.lists(st.one_of(*(CELLS[kind] for kind in kinds)), min_size=1, max_size=8))
    column, single = (build_field({"name": "a", **field}, locale=find(locale)) for _ in range(2))

    fragments = column.convert(cells)

    assert fragments == [one_by_one(single, cell) for cell in cells]
    assert [bool(column.faults(cell)) for cell in cells] == [fragment is None for fragment in fragments]


def one_by_one(column, cell):
    try:
        return column.read(cell)
    except Faulty:
        return None
