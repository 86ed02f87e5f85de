"""Compound files and workbooks of the old binary format (BIFF), put together byte by byte."""

import struct

SECTOR = 512
FREE, END_OF_CHAIN, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
BOF, EOF = 0x809, 0x0A
GLOBALS, WORKSHEET = 0x0005, 0x0010


def compound(streams: dict[str, bytes], *, padded: int = 4_096) -> bytes:
    """A compound file with these streams, each long enough to need no table of small sectors."""
    contents = [data.ljust(padded, b"\x00") for data in streams.values()]
    chains = [-(-len(data) // SECTOR) for data in contents]
    entries = [entry("Root Entry", 5, END_OF_CHAIN, 0)]
    body, table, first = b"", [], 1
    for name, data, count in zip(streams, contents, chains, strict=True):
        entries.append(entry(name, 2, first, len(data)))
        body += data.ljust(count * SECTOR, b"\x00")
        first += count
    directory = b"".join(entries).ljust(-(-len(entries) * 128 // SECTOR) * SECTOR, b"\x00")
    # The table itself is one sector, and the first.
    table = [TABLE]
    for count in [*chains, len(directory) // SECTOR]:
        table += [*range(len(table) + 1, len(table) + count), END_OF_CHAIN]
    assert len(table) <= SECTOR // 4
    table += [FREE] * (SECTOR // 4 - len(table))
    return header(first) + struct.pack(f"<{SECTOR // 4}I", *table) + body + directory


def header(
    directory: int, *, tables: int = 1, table_sectors: tuple[int, ...] = (0,), more: int = END_OF_CHAIN
) -> bytes:
    start = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\x00") + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6)
    start += struct.pack("<6x4I", 0, tables, directory, 0)
    start += struct.pack("<5I", 4_096, END_OF_CHAIN, 0, more, 0)
    numbers = [*table_sectors, *[FREE] * 109][:109]
    return start + struct.pack("<109I", *numbers)


def entry(name: str, kind: int, first: int, size: int) -> bytes:
    raw = name.encode("utf-16-le") + b"\x00\x00"
    return raw.ljust(64, b"\x00") + struct.pack("<HB49xIQ", len(raw), kind, first, size)


def record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<2H", kind, len(content)) + content


def begin(kind: int, *, version: int = 0x600) -> bytes:
    return record(BOF, struct.pack("<4H", version, kind, 0, 0))


def stream(*cells: bytes, before: bytes = b"", sheets: tuple[tuple[str, int], ...] = (("Data", 0),)) -> bytes:
    """A workbook stream of BIFF 8 whose sheets (name, state) all hold the same records."""
    names = [name.encode("utf-16-le") for name, _ in sheets]
    size = len(before) + 12 + 4 + sum(12 + len(name) for name in names)
    listed, bodies = b"", b""
    for name, (shown, state) in zip(names, sheets, strict=True):
        place = struct.pack("<I4B", size + len(bodies), state, 0, len(shown), 1)
        listed += record(0x85, place + name)
        bodies += begin(WORKSHEET) + b"".join(cells) + record(EOF)
    return begin(GLOBALS) + before + listed + record(EOF) + bodies


def place(row: int, column: int, style: int = 0) -> bytes:
    return struct.pack("<3H", row, column, style)


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    return record(0x203, place(row, column, style) + struct.pack("<d", value))


def label(row: int, column: int, text: str) -> bytes:
    raw = text.encode("utf-16-le")
    return record(0x204, place(row, column) + struct.pack("<HB", len(raw) // 2, 1) + raw)


def error(row: int, column: int, code: int) -> bytes:
    return record(0x205, place(row, column) + bytes((code, 1)))


def xls(*cells: bytes, **options) -> bytes:
    return compound({"Workbook": stream(*cells, **options)})
