"""Whatever JSON is sent as a schema is either refused with reasons or can be used on any row."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.checking.checker import Checker
from ingestion.checking.fields import FORMATS
from ingestion.checking.schemas import validate_schema

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(allow_nan=False),
    st.sampled_from(
        [
            "",
            "1",
            "2021-01-31",
            "true",
            "a",
            "%d.%m.%Y",
            "%H:%M",
            "(a+)+b",
            "[",
            "\x00",
            "é",
            "default",
            "email",
            "PT36H",
            "1:30",
            "14.5, 50.1",
            "[14.5, 50.1]",
        ]
    ),
    st.text(max_size=4),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
CONSTRAINTS = st.dictionaries(
    st.sampled_from(
        ["required", "unique", "minimum", "maximum", "minLength", "maxLength", "pattern", "enum", "x"]
    ),
    JSON | st.lists(SCALARS, min_size=1, max_size=3) | st.integers(0, 5),
    max_size=3,
)
FIELDS = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "A", "100 %", 'q"'])},
    optional={
        "type": st.sampled_from([*FORMATS, "geojson"]) | JSON,
        "format": st.sampled_from(["default", "any", "email", "array", "object", "%d/%m/%Y", "%H"]) | JSON,
        "constraints": CONSTRAINTS,
        "title": st.text(max_size=3) | JSON,
        "missingValues": st.lists(st.text(max_size=2), max_size=2) | JSON,
        "decimalChar": st.sampled_from([",", "."]) | JSON,
        "groupChar": st.sampled_from([",", ".", " "]) | JSON,
        "bareNumber": st.booleans() | JSON,
        "example": JSON,
        "trueValues": st.lists(st.text(max_size=2), max_size=2) | JSON,
    },
)
NAMES = st.sampled_from(["a", ["a"], ["b", "a"]]) | JSON
FOREIGN_KEYS = st.fixed_dictionaries(
    {"fields": NAMES, "reference": st.fixed_dictionaries({"fields": NAMES}, optional={"resource": JSON})}
)
SCHEMAS = st.fixed_dictionaries(
    {"fields": st.lists(FIELDS, min_size=1, max_size=3) | JSON},
    optional={
        "primaryKey": st.sampled_from(["a", ["a"], ["b", "a"]]) | JSON,
        "missingValues": JSON,
        "foreignKeys": JSON | st.lists(FOREIGN_KEYS | JSON, max_size=2),
    },
)
CELLS = st.one_of(
    st.sampled_from([None, "", "a", "é", "1", "1,5", "1.234", "2021-01-31", "true", "\x00", 0, -0.0, 1, 5.5]),
    st.sampled_from(
        ["\x7fb1", "\x7fe#N/A", "\x7ff", "\x7fd2021-01-31\x7fd", "\x7fd2021-01-31T10:00:00\x7fdt"]
    ),
    st.sampled_from(["\x7fn60\x7fd", "\x7fn0.5\x7f%", "\x7fn1.5\x7fdu", "\x7fn7\x7fz:000"]),
)


@settings(max_examples=300, deadline=None)
@given(
    schema=SCHEMAS,
    rows=st.lists(st.lists(CELLS, max_size=3), max_size=4),
    locale=st.sampled_from(["en", "de", "xx"]),
)
def test_schema_is_refused_or_usable(schema, rows, locale):
    if validate_schema(schema):
        return
    checker = Checker(schema, locale=locale)
    names = [field["name"] for field in schema["fields"]]

    assert checker.match_header(names).failure is None
    for row in checker.check_batch([[number, cells] for number, cells in enumerate(rows, start=2)]):
        assert (row.json is None) == bool(row.errors)
        assert row.errors or row.data.keys() == set(names)
