"""The mistakes that people make in spreadsheets, put into real tables for the demo."""

from config.demo.tables import Table

NOT_AVAILABLE = "#N/A"


def airports_with_mistakes(table: Table) -> Table:
    """A dozen rows at fault among the good ones: each kind of mistake that the checks name."""
    rows = [list(row) for row in table]
    icao, iata, name, country, elevation, latitude = 0, 1, 2, 5, 6, 7
    rows[12][elevation] = "about 600"
    rows[13][elevation] = "n/a"
    rows[19][name] = None
    rows[25][country] = "Germany"
    rows[31][latitude] = 4803.2
    rows[32][latitude] = None
    rows[40][elevation] = NOT_AVAILABLE
    rows[47][iata] = "?"
    rows[53][icao] = rows[53][icao].lower()
    rows[60][country] = "=1+1"
    rows[66][elevation] = 66000
    twin = list(rows[70])
    twin[name] = f"{twin[name]} (old name)"
    rows.insert(72, twin)
    rows.insert(90, [None] * len(rows[0]))
    return rows


def without_column(table: Table, header: str) -> Table:
    place = table[0].index(header)
    return [row[:place] + row[place + 1 :] for row in table]


def with_words_for_numbers(table: Table, header: str) -> Table:
    place = table[0].index(header)
    return [table[0], *([*row[:place], "many", *row[place + 1 :]] for row in table[1:])]


def with_gaps_in_words(table: Table, header: str) -> Table:
    """Every tenth value is what people write who do not know it."""
    place = table[0].index(header)
    rows = [list(row) for row in table]
    for row in rows[5::10]:
        row[place] = "unknown"
    return rows


def with_headings(table: Table, headings: list[str]) -> Table:
    return [headings, *table[1:]]


def with_decimal_comma(table: Table) -> Table:
    """As a German office program saves them."""
    return [[_in_german(value) if isinstance(value, float) else value for value in row] for row in table]


def _in_german(value: float) -> str:
    return f"{value:,.1f}".translate(str.maketrans(",.", ".,"))
