"""A workbook that is written while it is sent: each part goes into the zip as it comes, nothing is kept."""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape

ROWS_A_SHEET = 1_048_575
LONGEST_CELL = 32_767
BLOCK = 1 << 16


class _Pipe(io.RawIOBase):
    """What the zip writes, until it is taken. Cannot seek, so nothing is kept that was sent."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        data = b"".join(self.parts)
        self.parts.clear()
        return data


def write(head: Sequence[str], rows: Iterator[Sequence[Any]]) -> Iterator[bytes]:
    """Text as inline strings, which no program calculates; a sheet that is full is followed by another."""
    pipe = _Pipe()
    sheets = 0
    first = next(rows, None)
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        while sheets == 0 or first is not None:
            sheets += 1
            with book.open(f"xl/worksheets/sheet{sheets}.xml", "w", force_zip64=True) as sheet:
                sheet.write(SHEET_HEAD + _row(1, head))
                number = 1
                while first is not None and number <= ROWS_A_SHEET:
                    number += 1
                    sheet.write(_row(number, first))
                    first = next(rows, None)
                    if sum(map(len, pipe.parts)) > BLOCK:
                        yield pipe.taken()
                sheet.write(SHEET_END)
        for name, text in _around(sheets):
            book.writestr(name, text)
    yield pipe.taken()


SHEET_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)
SHEET_END = b"</sheetData></worksheet>"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
TYPE_OF = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATIONS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
QUOTED_STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="1"><font/></fonts>'
    '<fills count="1"><fill><patternFill/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="2"><xf/><xf numFmtId="49" quotePrefix="1" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def _row(number: int, values: Sequence[Any]) -> bytes:
    return f'<row r="{number}">{"".join(map(_xlsx_cell, values))}</row>'.encode()


def _xlsx_cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{value:d}</v></c>'
    if isinstance(value, int | float):
        return f"<c><v>{value}</v></c>"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # `s="1"` is a text that stays one when it is edited.
    return f'<c t="inlineStr" s="1"><is><t xml:space="preserve">{escape(_storable(text))}</t></is></c>'


def _storable(text: str) -> str:
    """XML has no control characters, and a cell no more than so many."""
    text = "".join(each if each >= " " or each in "\t\n" else "\ufffd" for each in text[:LONGEST_CELL])
    return text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")


def _around(sheets: int) -> Iterator[tuple[str, str]]:
    numbers = range(1, sheets + 1)
    yield (
        "[Content_Types].xml",
        (
            f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
            f'<Default Extension="rels" ContentType="{RELATIONS_TYPE}"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE_OF}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{TYPE_OF}.styles+xml"/>'
            + "".join(
                f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{TYPE_OF}.worksheet+xml"/>'
                for n in numbers
            )
            + "</Types>"
        ),
    )
    yield (
        "_rels/.rels",
        (
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ),
    )
    yield (
        "xl/workbook.xml",
        (
            f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
            + "".join(
                f'<sheet name="Records{"" if n == 1 else f" {n}"}" sheetId="{n}" r:id="rId{n}"/>'
                for n in numbers
            )
            + "</sheets></workbook>"
        ),
    )
    yield (
        "xl/_rels/workbook.xml.rels",
        (
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
            + "".join(
                f'<Relationship Id="rId{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
                for n in numbers
            )
            + f'<Relationship Id="rId{sheets + 1}" Type="{RELATIONS}/styles" Target="styles.xml"/>'
            "</Relationships>"
        ),
    )
    yield "xl/styles.xml", HEAD + QUOTED_STYLES
