"""A binary workbook (.xlsb) assembled by hand: its records (BIFF12), parts and package."""

import struct

from tests.ingestion.reading.books import OFFICE, REL, RELS, package


def record(kind: int, content: bytes = b"") -> bytes:
    number = bytes((kind,)) if kind < 0x80 else bytes((kind & 0x7F | 0x80, kind >> 7))
    length, sizes = len(content), b""
    while True:
        length, seven = length >> 7, length & 0x7F
        sizes += bytes((seven | (0x80 if length else 0),))
        if not length:
            return number + sizes + content


def text(value: str) -> bytes:
    raw = value.encode("utf-16-le", "surrogatepass")
    return struct.pack("<I", len(raw) // 2) + raw


def row(number: int, *cells: bytes, hidden: bool = False) -> bytes:
    """`number` from 1."""
    flags = bytes((0, 0x10 if hidden else 0, 0))
    return record(0, struct.pack("<2IH", number - 1, 0, 300) + flags + struct.pack("<I", 0)) + b"".join(cells)


def cell(kind: int, column: int, content: bytes = b"", *, style: int = 0) -> bytes:
    return record(kind, struct.pack("<2I", column, style) + content)


def real(column: int, value: float, *, style: int = 0) -> bytes:
    return cell(5, column, struct.pack("<d", value), style=style)


def written(column: int, value: str) -> bytes:
    return cell(6, column, text(value))


def formula(kind: int, column: int, result: bytes) -> bytes:
    return cell(kind, column, result + struct.pack("<H2I", 0, 0, 0))


def sheet_part(*rows: bytes, after: bytes = b"") -> bytes:
    return (
        record(129)
        + record(148, bytes(16))
        + record(145)
        + b"".join(rows)
        + record(146)
        + after
        + record(130)
    )


def workbook_part(*sheets: tuple[str, int], date1904: bool = False) -> bytes:
    """Sheets by name and state (0 visible, 1 hidden, 2 very hidden), each with a part of its own."""
    listed = b"".join(
        record(156, struct.pack("<2I", state, number) + text(f"rId{number}") + text(name))
        for number, (name, state) in enumerate(sheets, start=1)
    )
    return (
        record(131)
        + record(153, struct.pack("<2I", date1904, 0))
        + record(143)
        + listed
        + record(144)
        + record(132)
    )


def styles_part(*codes: str) -> bytes:
    """Style 0 is General, the others have these format codes in order."""
    formats = b"".join(record(44, struct.pack("<H", 164 + n) + text(code)) for n, code in enumerate(codes))
    cells = b"".join(
        record(47, struct.pack("<2H12x", 0, number)) for number in (0, *range(164, 164 + len(codes)))
    )
    base = record(626, struct.pack("<I", 1)) + record(47, struct.pack("<2H12x", 0xFFFF, 14)) + record(627)
    begin, begin_cells = (
        record(kind, struct.pack("<I", n)) for kind, n in ((615, len(codes)), (617, len(codes) + 1))
    )
    return (
        record(278) + begin + formats + record(616) + base + begin_cells + cells + record(618) + record(279)
    )


def strings_part(*texts: str) -> bytes:
    items = b"".join(record(19, b"\x00" + text(value)) for value in texts)
    return record(159, struct.pack("<2I", len(texts), len(texts))) + items + record(160)


def parts(
    *sheets: bytes, strings: bytes = b"", styles: bytes = b"", workbook: bytes | None = None
) -> dict[str, str | bytes]:
    links = REL.format(id="s", kind=f"{OFFICE}/styles", target="styles.bin")
    links += REL.format(id="t", kind=f"{OFFICE}/sharedStrings", target="sharedStrings.bin")
    found: dict[str, str | bytes] = {
        "_rels/.rels": RELS.format(
            REL.format(id="a", kind=f"{OFFICE}/officeDocument", target="xl/workbook.bin")
        ),
        "xl/styles.bin": styles or styles_part(),
        "xl/sharedStrings.bin": strings or strings_part(),
    }
    for number, sheet in enumerate(sheets, start=1):
        links += REL.format(
            id=f"rId{number}", kind=f"{OFFICE}/worksheet", target=f"worksheets/sheet{number}.bin"
        )
        found[f"xl/worksheets/sheet{number}.bin"] = sheet
    names = [("Data" if number == 1 else f"Data {number}", 0) for number in range(1, len(sheets) + 1)]
    found["xl/workbook.bin"] = workbook if workbook is not None else workbook_part(*names)
    found["xl/_rels/workbook.bin.rels"] = RELS.format(links)
    return found


def xlsb(*rows: bytes, after: bytes = b"", **options) -> bytes:
    return package(parts(sheet_part(*rows, after=after), **options))
