"""What the demo sends, in order: real data as people's files have it."""

from collections.abc import Callable

from config.demo import tables
from config.demo.files import as_csv, as_workbook
from config.demo.office import as_document, as_ods, as_report, as_web_page, as_xls
from config.demo.sending import Sending
from config.demo.spoiling import (
    airports_with_mistakes,
    with_decimal_comma,
    with_gaps_in_words,
    with_headings,
    with_words_for_numbers,
    without_column,
)
from ingestion.upload_options import UploadOptions

NEIGHBOURS = frozenset({"AT", "CH", "DE", "FR", "IT"})
HIGHEST = "Highest airport in feet"
SWISS = "airports-switzerland"
FRANCE, REVISED = "airports-france corrected by hand.xlsx", "airports-by-country revised.csv"


def _table(make: Callable[[], tables.Table], **how: str) -> Callable[[], bytes]:
    return lambda: as_csv(make(), **how)


def _book(make: Callable[[], tables.Table], **how: str) -> Callable[[], bytes]:
    return lambda: as_workbook(make(), **how)


def _areas(headings: list[str]) -> tables.Table:
    return with_headings(tables.metropolitan_areas(), headings)


PLAN: tuple[Sending, ...] = (
    Sending(
        "airports-europe", "airports-dach.csv", "uploader",
        _table(lambda: tables.airports({"AT", "CH", "DE"}), delimiter=";"),
    ),
    Sending(
        "airports-europe", "airports-europe.xlsx", "uploader",
        _book(lambda: tables.airports(tables.EUROPE)),
    ),
    Sending(
        "airports-americas", "airports-americas.csv", "manager",
        _table(lambda: tables.airports(tables.AMERICAS)),
    ),
    Sending("countries", "airports-by-country.xlsx", "manager", _book(tables.countries)),
    Sending("metropolitan-areas", "metropolitan-areas.csv", "uploader", _table(tables.metropolitan_areas)),
    Sending("time-zones", "time-zones.xlsx", "operator2", _book(tables.time_zones)),
    Sending(
        "currency-signs", "currency-signs.csv", "operator2",
        _table(tables.currency_signs, encoding="utf-8-sig"),
    ),
    Sending("media-types", "media-types.csv", "operator2", _table(tables.media_types, delimiter="\t")),
    Sending(
        "metropolitan-areas", "metropolitan-areas without airports.csv", "uploader",
        _table(lambda: without_column(tables.metropolitan_areas(), "airport")),
    ),
    Sending(
        "countries", "airports-by-country in words.csv", "manager",
        _table(lambda: with_words_for_numbers(tables.countries(), "Airports")),
    ),
    Sending(
        "airports-americas", "airports-americas (draft).csv", "manager",
        _table(lambda: tables.airports(tables.AMERICAS | {"US"})), withdrawn=True,
    ),
    Sending(
        "airports-europe", FRANCE, "uploader",
        _book(lambda: airports_with_mistakes(tables.airports({"FR"})), sheet="Aéroports"),
    ),
    Sending(
        "time-zones", "time-zones in july.xlsx", "operator2",
        _book(lambda: tables.time_zones(tables.JULY)),
    ),
    Sending(
        "time-zones", "time-zones in july.xlsx", "operator2",
        _book(lambda: tables.time_zones(tables.JULY)),
    ),
    Sending(
        SWISS, "airports-switzerland.xls", "manager", lambda: as_xls(tables.airports({"CH"})),
    ),
    Sending(
        SWISS, "airports-switzerland february.xls", "manager",
        _table(lambda: tables.airports({"CH"})[:-2], delimiter="\t", encoding="utf-16"),
    ),
    Sending(
        SWISS, "airports-switzerland march.xlsx", "manager",
        _book(lambda: tables.airports({"CH"})[:30]),
    ),
    Sending(
        "distances", "distances from Frankfurt.csv", "uploader",
        _table(
            lambda: with_decimal_comma(tables.distances("EDDF", NEIGHBOURS | {"TR"})),
            delimiter=";", encoding="cp1252",
        ),
    ),
    Sending(
        "distances", "distances from Vienna.xlsx", "uploader",
        lambda: as_report(
            with_headings(tables.distances("LOWW", NEIGHBOURS), ["ICAO", "ICAO", "km", "NM"]),
            title="Distances from Vienna, along the great circle",
            groups=[("From", 1), ("To", 1), ("Distance", 2)],
            notes=["Note: airports without an IATA code are left out."],
        ),
    ),
    Sending(
        "distances", "distances from Zurich.ods", "uploader",
        lambda: as_ods(tables.distances("LSZH", NEIGHBOURS)),
    ),
    Sending(
        "distances", "distances from Rome.xls", "uploader",
        lambda: as_web_page(tables.distances("LIRF", NEIGHBOURS)), is_refused=True,
    ),
    Sending("airports-europe", "airports of Europe, remarks.xlsx", "uploader", as_document),
    Sending(
        "countries", "airports-by-country (trial).csv", "manager",
        _table(lambda: with_gaps_in_words(tables.countries(), HIGHEST)), options=UploadOptions(dry_run=True),
    ),
    Sending(
        "countries", REVISED, "manager",
        _table(lambda: with_gaps_in_words(tables.countries(), HIGHEST)),
    ),
    Sending(
        "metropolitan-areas", "areas from the tower.csv", "uploader",
        _table(lambda: _areas(["Area codes", "Names", "Country", "Airport"])),
        is_agreed=True,
    ),
    Sending(
        "metropolitan-areas", "areas from the harbour.csv", "uploader",
        _table(lambda: _areas(["Areacode IATA", "Names", "Country", "Airport served"]), delimiter=";"),
    ),
)  # fmt: skip
