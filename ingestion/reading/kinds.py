"""What a file is, told by its first bytes and never by its name."""

import re
from enum import StrEnum

from .wide import zero_pattern

HEAD_BYTES = 8_192


class Kind(StrEnum):
    XLSX = "xlsx"
    TEXT = "text"
    EMPTY = "empty"
    ZIP = "zip"
    XLS = "xls"
    XLSB = "xlsb"
    ODS = "ods"
    COMPOUND = "compound"
    OLD_EXCEL = "old_excel"
    WORD = "word"
    PDF = "pdf"
    IMAGE = "image"
    HTML = "html"
    MHTML = "mhtml"
    XML_SPREADSHEET = "xml_spreadsheet"
    XML = "xml"
    JSON = "json"
    ARCHIVE = "archive"
    BINARY = "binary"


# What is in a zip or a compound file only its directory can tell, which may lie anywhere in it.
MAY_BE_READ = frozenset({Kind.XLSX, Kind.XLS, Kind.XLSB, Kind.ODS, Kind.TEXT, Kind.ZIP, Kind.COMPOUND})

COMPOUND_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"%PDF-", Kind.PDF),
    (b"\x89PNG\r\n", Kind.IMAGE),
    (b"\xff\xd8\xff", Kind.IMAGE),
    (b"GIF87a", Kind.IMAGE),
    (b"GIF89a", Kind.IMAGE),
    (b"II*\x00", Kind.IMAGE),
    (b"MM\x00*", Kind.IMAGE),
    (b"\x1f\x8b\x08", Kind.ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", Kind.ARCHIVE),
    (b"Rar!\x1a\x07", Kind.ARCHIVE),
    (b"\xfd7zXZ\x00", Kind.ARCHIVE),
    (b"\x28\xb5\x2f\xfd", Kind.ARCHIVE),
    (b"BZh91AY&SY", Kind.ARCHIVE),
    (b"PAR1\x15", Kind.BINARY),
    (b"SQLite format 3\x00", Kind.BINARY),
    (b"\x09\x08\x10\x00", Kind.XLS),
    (b"\x09\x08\x08\x00", Kind.XLS),
    # Excel 4, 3 and 2.
    (b"\x09\x04\x06\x00", Kind.OLD_EXCEL),
    (b"\x09\x02\x06\x00", Kind.OLD_EXCEL),
    (b"\x09\x00\x04\x00", Kind.OLD_EXCEL),
    (b"\x09\x00\x06\x00", Kind.OLD_EXCEL),
    (b"MSCF\x00\x00\x00\x00", Kind.ARCHIVE),
    (b"{\\rtf", Kind.WORD),
    (COMPOUND_MAGIC, Kind.COMPOUND),
)
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK00PK\x03\x04", b"PK\x07\x08PK\x03\x04")
PHOTOS = (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif")
HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|table|meta|style|title|script|div|center)[\s>]",
    re.I | re.S,
)
MHTML_START = re.compile(rb"\s*(?:MIME-Version:|Content-Type:\s*multipart/)", re.I)
ODS_MIMETYPE = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"


def sniff(head: bytes) -> Kind:
    """The kind that the first bytes (8 kB are enough) speak of."""
    if not head:
        return Kind.EMPTY
    if head.startswith(ZIP_STARTS):
        return Kind.ODS if ODS_MIMETYPE in head[:200] else Kind.ZIP
    for magic, kind in MAGIC:
        if head.startswith(magic):
            return kind
    if (head[:4] == b"RIFF" and head[8:12] == b"WEBP") or head[4:12] in PHOTOS:
        return Kind.IMAGE
    if head[257:262] == b"ustar":
        return Kind.ARCHIVE
    return _text_kind(head)


def _text_kind(head: bytes) -> Kind:
    text = _without_byte_order(head)
    if not text.strip(b" \t\r\n\x00"):
        return Kind.EMPTY if len(head) < HEAD_BYTES else Kind.TEXT
    if MHTML_START.match(text):
        return Kind.MHTML
    if HTML_START.match(text):
        return Kind.HTML
    start = text.lstrip()
    if start.startswith(b"<") and b"urn:schemas-microsoft-com:office:spreadsheet" in text:
        return Kind.XML_SPREADSHEET
    if start.startswith(b"<?xml"):
        return Kind.HTML if re.search(rb"<html[\s>]", text, re.I) else Kind.XML
    if re.match(rb'(?:\{\s*"|\[\s*[\[{])', start):
        return Kind.JSON
    return Kind.BINARY if _is_binary(head) else Kind.TEXT


def _without_byte_order(head: bytes) -> bytes:
    """The head as ASCII-like bytes, whichever Unicode form it has, for looking at its first words only."""
    if head.startswith(b"\xef\xbb\xbf"):
        return head[3:]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[2:].replace(b"\x00", b"")
    return head


def _is_binary(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    if zero_pattern(head):
        return False
    if head.count(0) * 4 > len(head):
        return True
    # A few stray zeros are no reason to refuse a text: the checks name their cells. Some of the others
    # separate fields (0x01, 0x1C to 0x1F).
    control = len(head) - len(head.translate(None, bytes([*range(2, 9), *range(14, 28)])))
    return control * 16 > len(head)
