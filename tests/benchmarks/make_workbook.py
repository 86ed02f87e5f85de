"""Makes the workbook of the benchmarks: 300,000 x 12, the same bytes' worth of cells for the same seed."""

import argparse
import csv
import datetime
import random
from collections.abc import Iterator
from pathlib import Path

import xlsxwriter

ROWS = 300_000
SEED = 20_240_517
HEADER = [
    "record_id",
    "parent_id",
    "quantity",
    "price",
    "ratio",
    "opened",
    "changed_at",
    "active",
    "email",
    "name",
    "status",
    "note",
]
STATUSES = ["new", "open", "waiting", "closed"]
NAMES = ["Zoë", "José", "Łukasz", "Anna", "Bjørn", "Mária", "Ivan", "Noé", "Ana", "Jürgen", "O'Brien"]
FAMILIES = ["Müller", "Nowak", "García", "Smith", "Åkesson", "Dvořák", "Ionescu", "Papadopoulos"]
WORDS = [
    "alpha",
    "bridge",
    "copper",
    "delta",
    "engine",
    "forest",
    "garden",
    "harbour",
    "island",
    "juniper",
    "kernel",
    "ladder",
    "meadow",
    "number",
    "orchard",
    "pillar",
    "quarry",
    "river",
    "signal",
    "timber",
]
SCHEMA = {
    "fields": [
        {"name": "record_id", "type": "string", "constraints": {"required": True, "pattern": "R[0-9]{8}"}},
        {"name": "parent_id", "type": "string"},
        {"name": "quantity", "type": "integer", "constraints": {"minimum": 0}},
        {"name": "price", "type": "number"},
        {"name": "ratio", "type": "number"},
        {"name": "opened", "type": "date"},
        {"name": "changed_at", "type": "datetime"},
        {"name": "active", "type": "boolean"},
        {"name": "email", "type": "string", "format": "email"},
        {"name": "name", "type": "string"},
        {"name": "status", "type": "string", "constraints": {"enum": STATUSES}},
        {"name": "note", "type": "string", "constraints": {"maxLength": 200}},
    ],
    "primaryKey": ["record_id"],
}


def make_workbook(folder: Path, *, rows: int = ROWS, seed: int = SEED, inline: bool = True) -> Path:
    """The workbook's path; it is made only when it is not there yet. inline=False uses shared strings."""
    path = folder / f"workbook-{rows}-{seed}-{'inline' if inline else 'shared'}.xlsx"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    half_made = path.with_suffix(".part")
    book = xlsxwriter.Workbook(str(half_made), {"constant_memory": inline})
    # Without it the creation time would stand in the file.
    book.set_properties({"created": datetime.datetime(2024, 1, 1)})  # noqa: DTZ001
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    money = book.add_format({"num_format": "0.00"})
    sheet = book.add_worksheet("Data")
    sheet.write_row(0, 0, HEADER)
    for number, row in enumerate(data_rows(rows, seed), start=1):
        sheet.write_string(number, 0, row[0])
        sheet.write_string(number, 1, row[1])
        sheet.write_number(number, 2, row[2])
        sheet.write_number(number, 3, row[3], money)
        sheet.write_number(number, 4, row[4])
        sheet.write_datetime(number, 5, row[5], day)
        sheet.write_datetime(number, 6, row[6], moment)
        sheet.write_boolean(number, 7, row[7])
        for column in range(8, 12):
            sheet.write_string(number, column, row[column])
    book.close()
    half_made.rename(path)
    return path


def make_csv(folder: Path, *, rows: int = ROWS, seed: int = SEED) -> Path:
    """The same rows as text, made when they are not there yet."""
    path = folder / f"text-{rows}-{seed}.csv"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    half_made = path.with_suffix(".part")
    with half_made.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(data_rows(rows, seed))
    half_made.rename(path)
    return path


def data_rows(rows: int, seed: int) -> Iterator[tuple]:
    source = random.Random(seed)
    start = datetime.datetime(2015, 1, 1)  # noqa: DTZ001
    for number in range(rows):
        moment = start + datetime.timedelta(seconds=source.randrange(300_000_000))
        name = f"{source.choice(NAMES)} {source.choice(FAMILIES)}"
        yield (
            f"R{number:08d}",
            f"P{source.randrange(rows):08d}",
            source.randrange(100_000),
            source.randrange(1_000_000) / 100,
            source.random(),
            moment.date(),
            moment,
            source.random() < 0.5,
            f"user{number}@example.org",
            name,
            source.choice(STATUSES),
            " ".join(source.choices(WORDS, k=6)),
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--shared", action="store_true")
    arguments = parser.parse_args()
    print(make_workbook(arguments.folder, rows=arguments.rows, inline=not arguments.shared))
