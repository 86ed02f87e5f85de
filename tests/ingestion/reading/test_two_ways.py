"""Rows read the fast way and the same rows read by expat alone must not differ, whatever their shape."""

import io
import json
import random
import re

import pytest

from ingestion.reading import opening
from ingestion.reading.failures import Refused
from ingestion.reading.office import read_package
from ingestion.reading.opening import Looking
from ingestion.reading.wire import LENGTH, FrameWriter
from tests.ingestion.reading.books import header, package, parts, shared, sheet

CELLS = [
    "",
    '<c r="{0}" s="1"/>',
    '<c r="{0}"><v>1.5</v></c>',
    '<c r="{0}"><v></v></c>',
    '<c r="{0}" s="1"><v>44197</v></c>',
    '<c r="{0}" s="2"><v>44197.5</v></c>',
    '<c r="{0}" t="b"><v>1</v></c>',
    '<c r="{0}" t="e"><v>#N/A</v></c>',
    '<c r="{0}" t="s"><v>0</v></c>',
    '<c r="{0}" t="s" s="1"><v>1</v></c>',
    '<c r="{0}" t="str"><v>x_x000D_</v></c>',
    '<c r="{0}"><f>1</f><v>2</v></c>',
    '<c r="{0}"><f>1</f></c>',
    '<c r="{0}" t="inlineStr"><is><t>a&amp;b</t></is></c>',
    '<c r="{0}" t="inlineStr"><is><t xml:space="preserve"> y</t></is></c>',
    '<c r="{0}" t="inlineStr"><is><r><t>r</t></r></is></c>',
    "<c><v>7</v></c>",
]
ROWS = ["", ' spans="1:3"', ' hidden="1"', ' s="1" customFormat="1"', ' x:dyDescent="0.25"']
# What may be put in the place of a few characters without hiding a fault in an attribute.
DAMAGE = [
    "<",
    ">",
    "<!--",
    "<![CDATA[",
    "]]>",
    "<v>",
    "</v>",
    "<row>",
    "</row>",
    "<row/>",
    "</sheetData>",
    "&",
    "&amp;",
    "7",
]


def read_here(entries, looking):
    """Rows without blank cells at their ends, and what was counted; or why the sheet was refused."""
    out = io.BytesIO()
    writer = FrameWriter(out, total=1)
    try:
        end = read_package(io.BytesIO(package(entries, compression=0)), writer, looking, spill_bytes=10**6)
    except Refused as refused:
        return refused.code
    writer.flush()
    data, rows = out.getvalue(), []
    while data:
        (length,) = LENGTH.unpack(data[: LENGTH.size])
        frame = json.loads(data[LENGTH.size : LENGTH.size + length])
        rows += frame.get("rows", [])
        data = data[LENGTH.size + length :]
    for _, cells in rows:
        while cells and cells[-1] is None:
            cells.pop()
    return rows, end


def random_rows(source: random.Random) -> str:
    rows, number, addressed = header(*"abcdef"[: source.randrange(1, 7)]), 1, source.random() < 0.9
    shape = source.choices(CELLS, k=source.randrange(1, 6))
    for _ in range(source.randrange(1, 9)):
        number += source.choice([1, 1, 1, 2])
        if source.random() < 0.4:
            shape = source.choices(CELLS, k=len(shape))
        cells = "".join(cell.format(f"{'ABCDEF'[place]}{number}") for place, cell in enumerate(shape))
        rows += f'<row r="{number}"{source.choice(ROWS)}>{cells}</row>'
    return rows if addressed else re.sub(' r="[A-Z0-9]+"', "", rows)


def both_ways(rows: str, looking: Looking):
    found = []
    for before in ("", "<!-- a comment leads to the careful way -->"):
        xml = sheet(rows, before=before).replace("<worksheet ", '<worksheet xmlns:x="urn:x" ')
        found.append(read_here(parts(xml, strings=shared("<t>zero</t>", "<t>one</t>")), looking))
    return found


# The header is the first row; or found among the rows that are held back, a few or all of them.
LOOKINGS = ((Looking(), 60), (Looking(names={"a": 0, "b": 1}), 3), (Looking(names={"a": 0}), 60))


@pytest.fixture(params=LOOKINGS, ids=["first", "soon", "late"])
def looking(request, monkeypatch):
    monkeypatch.setattr(opening, "LOOK_ROWS", request.param[1])
    return request.param[0]


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_any_shape_are_read_alike_both_ways(seed, looking):
    source = random.Random(seed)
    for _ in range(60):
        rows = random_rows(source)

        fast, careful = both_ways(rows, looking)

        assert fast == careful, rows


@pytest.mark.parametrize("seed", range(4))
def test_damaged_rows_are_refused_or_read_alike(seed, looking):
    source = random.Random(seed)
    for _ in range(60):
        rows = random_rows(source)
        at = source.randrange(len(rows))
        if rows.rfind("<", 0, at) > rows.rfind(">", 0, at):
            continue  # inside a tag
        rows = rows[:at] + source.choice(DAMAGE) + rows[at + source.randrange(4) :]

        fast, careful = both_ways(rows, looking)

        if isinstance(fast, str) or not isinstance(careful, str):
            assert fast == careful, rows
