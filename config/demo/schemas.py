"""The datasets of the demo and their schemas."""

from typing import Any

from accounts.models import Organisation
from accounts.principals import Principal
from config.demo.people import AVIATION, REFERENCE, Cast
from ingestion import datasets
from ingestion.models import Dataset


def _field(
    name: str, type: str = "string", *, title: str = "", sortable: bool = False, **constraints: Any
) -> dict[str, Any]:
    """As Table Schema has it; empty parts are left out."""
    field: dict[str, Any] = {"name": name, "type": type}
    if title:
        field["title"] = title
    if sortable:
        field["sortable"] = True
    if constraints:
        field["constraints"] = constraints
    return field


AIRPORTS: dict[str, Any] = {
    "fields": [
        _field("icao", title="ICAO code", required=True, pattern="[A-Z0-9]{4}"),
        _field("iata", title="IATA code", pattern="[A-Z]{3}"),
        _field("name", title="Name", required=True, maxLength=100, sortable=True),
        _field("city", title="City"),
        _field("subdivision", title="State or region"),
        _field("country", title="Country", required=True, pattern="[A-Z]{2}", sortable=True),
        _field(
            "elevation_ft", "number", title="Elevation in feet", minimum=-1500, maximum=20000, sortable=True
        ),
        _field("latitude", "number", title="Latitude", required=True, minimum=-90, maximum=90),
        _field("longitude", "number", title="Longitude", required=True, minimum=-180, maximum=180),
        _field("time_zone", title="Time zone"),
    ],
    "primaryKey": "icao",
}
METROPOLITAN_AREAS: dict[str, Any] = {
    "fields": [
        _field("code", title="Area code", required=True, pattern="[A-Z]{3}"),
        _field("name", title="Name", required=True),
        _field("country", title="Country", pattern="[A-Z]{2}"),
        _field("airport", title="Airport", required=True, pattern="[A-Z]{3}"),
    ],
    "primaryKey": ["code", "airport"],
}
COUNTRIES: dict[str, Any] = {
    "fields": [
        _field("country", title="Country", required=True, pattern="[A-Z]{2}"),
        _field("airports", "integer", title="Airports", required=True, minimum=1),
        _field("highest_ft", "number", title="Highest airport in feet"),
        _field("time_zones", "integer", title="Time zones", minimum=1),
    ],
    "primaryKey": "country",
}
TIME_ZONES: dict[str, Any] = {
    "fields": [
        _field("zone", title="Zone", required=True),
        _field("winter_offset_minutes", "integer", title="Offset on 1 January", minimum=-900, maximum=900),
        _field("summer_offset_minutes", "integer", title="Offset on 1 July", minimum=-900, maximum=900),
        _field("changes_clocks", "boolean", title="Changes its clocks"),
        _field("as_of", "date", title="As of"),
    ],
    "primaryKey": "zone",
}
CURRENCY_SIGNS: dict[str, Any] = {
    "fields": [
        _field("code_point", title="Code point", required=True, pattern="U\\+[0-9A-F]{4,6}"),
        _field("sign", title="Sign", required=True, unique=True),
        _field("name", title="Name", required=True),
    ],
    "primaryKey": "code_point",
}
MEDIA_TYPES: dict[str, Any] = {
    "fields": [
        _field("suffix", title="Suffix", required=True, pattern="\\.[a-zA-Z0-9+-]+"),
        _field("media_type", title="Media type", required=True, pattern="[a-z]+/[a-zA-Z0-9.+-]+"),
    ],
    "primaryKey": "suffix",
}
DISTANCES: dict[str, Any] = {
    "fields": [
        _field("from_icao", title="From ICAO", required=True, sortable=True, pattern="[A-Z0-9]{4}"),
        _field("to_icao", title="To ICAO", required=True, pattern="[A-Z0-9]{4}"),
        _field("distance_km", "number", title="Distance km", required=True, sortable=True, minimum=0),
        _field("distance_nm", "number", title="Distance NM", minimum=0),
    ],
    "primaryKey": ["from_icao", "to_icao"],
    "foreignKeys": [
        {"fields": "from_icao", "reference": {"resource": "airports-europe", "fields": "icao"}},
        {"fields": "to_icao", "reference": {"resource": "airports-europe", "fields": "icao"}},
    ],
}
# Organisation, slug, title, schema.
DATASETS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (AVIATION, "airports-europe", "Airports of Europe", AIRPORTS),
    (AVIATION, "airports-americas", "Airports of the Americas", AIRPORTS),
    (AVIATION, "metropolitan-areas", "Metropolitan areas and their airports", METROPOLITAN_AREAS),
    (AVIATION, "countries", "Airports by country", COUNTRIES),
    (AVIATION, "distances", "Distances between airports of Europe", DISTANCES),
    (AVIATION, "airports-switzerland", "Airports of Switzerland, the whole list", AIRPORTS),
    (REFERENCE, "time-zones", "Time zones", TIME_ZONES),
    (REFERENCE, "currency-signs", "Currency signs", CURRENCY_SIGNS),
    (REFERENCE, "media-types", "Media types by suffix", MEDIA_TYPES),
)
# What is not as usual: how numbers are written, and files that are the whole of their dataset.
SETTINGS: dict[str, dict[str, Any]] = {
    "distances": {"locale": "de"},
    "airports-switzerland": {"mode": Dataset.Mode.SNAPSHOT, "retire_limit": 10},
}
MAKERS = {AVIATION: "manager", REFERENCE: "operator2"}


def make(cast: Cast) -> dict[str, Dataset]:
    """By slug. Safe to repeat."""
    return {
        slug: _dataset(cast.organisations[owner], slug, title, schema, cast.people[MAKERS[owner]])
        for owner, slug, title, schema in DATASETS
    }


def _dataset(
    organisation: Organisation, slug: str, title: str, schema: dict[str, Any], by: Principal
) -> Dataset:
    found = Dataset.objects.select_related("organisation").filter(organisation=organisation, slug=slug)
    return found.first() or datasets.create(
        organisation=organisation, slug=slug, title=title, schema=schema, by=by, **SETTINGS.get(slug, {})
    )
