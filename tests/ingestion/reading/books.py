"""Files for the reader's tests, made part by part, and the shortest way to read them."""

import io
import json
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from typing import Any

from ingestion.reading.entry import read_file
from ingestion.reading.failures import UnreadableFile
from ingestion.reading.reader import End, HeaderFrame, ReadOptions, _end, open_reader
from ingestion.reading.wire import LENGTH, FrameWriter

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_OFFICE = "http://purl.oclc.org/ooxml/officeDocument/relationships"
RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
)
REL = '<Relationship Id="{id}" Type="{kind}" Target="{target}"/>'
SHEETS = '<sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets>'
# Style 1: date, 2: date and time, 3: 00000, 4: 0.00%, 5: [h]:mm:ss, 6: EUR, 7: CHF, 8: time, 9: 000-00-0000
STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/>'
    '<numFmt numFmtId="165" formatCode="00000"/><numFmt numFmtId="166" formatCode="[$EUR] #,##0.00"/>'
    '<numFmt numFmtId="167" formatCode="[$CHF-807] #,##0.00"/>'
    '<numFmt numFmtId="168" formatCode="000\\-00\\-0000"/>'
    "</numFmts><cellStyleXfs><xf numFmtId='14'/></cellStyleXfs><cellXfs>"
    + "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 164, 165, 10, 46, 166, 167, 20, 168))
    + "</cellXfs>"
)


@dataclass
class Reading:
    header: HeaderFrame
    rows: list[list[Any]]
    end: End

    @property
    def assumed(self) -> dict[str, dict[str, Any]]:
        return {entry["code"]: entry["detail"] for entry in self.end.assumptions}


def read(data: bytes, **options: Any) -> Reading:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with open_reader(file, options=ReadOptions(**options)) as reader:
            rows = [row for frame in reader for row in frame.rows]
            return Reading(reader.header, rows, reader.end)


def read_here(data: bytes, **options: Any) -> Reading:
    """The same without a child of its own, for tests that read hundreds of files."""
    out = io.BytesIO()
    writer = FrameWriter(out, total=len(data))
    end = read_file(io.BytesIO(data), writer, asdict(ReadOptions(**options)))
    writer.flush()
    frames, rows, at = out.getvalue(), [], 0
    head = HeaderFrame("", 0, [])
    while at < len(frames):
        (length,) = LENGTH.unpack_from(frames, at)
        frame = json.loads(frames[at + LENGTH.size : at + LENGTH.size + length])
        at += LENGTH.size + length
        if "header" in frame:
            head = HeaderFrame(frame["sheet"], *frame["header"])
        rows += frame.get("rows", [])
    return Reading(head, rows, _end(end))


def failure(data: bytes, **options: Any) -> UnreadableFile:
    try:
        reading = read(data, **options)
    except UnreadableFile as error:
        return error
    raise AssertionError(f"read {len(reading.rows)} rows")


def sheet(rows: str, *, before: str = "", after: str = "", namespace: str = MAIN) -> str:
    return f'<worksheet xmlns="{namespace}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def header(*names: str) -> str:
    cells = "".join(
        f'<c r="{chr(65 + index)}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for index, name in enumerate(names)
    )
    return f'<row r="1">{cells}</row>'


def parts(
    sheet_xml: str | bytes,
    *,
    strings: str | bytes | None = None,
    styles: str = STYLES,
    book: str = SHEETS,
    namespace: str = MAIN,
    office: str = OFFICE,
    more_rels: str = "",
) -> dict[str, str | bytes]:
    """The parts of a workbook with one sheet."""
    rels = REL.format(id="rId1", kind=f"{office}/worksheet", target="worksheets/sheet1.xml")
    rels += REL.format(id="rId2", kind=f"{office}/styles", target="styles.xml")
    found: dict[str, str | bytes] = {
        "_rels/.rels": RELS.format(
            REL.format(id="a", kind=f"{office}/officeDocument", target="xl/workbook.xml")
        ),
        "xl/workbook.xml": f'<workbook xmlns="{namespace}" xmlns:r="{office}">{book}</workbook>',
        "xl/styles.xml": f'<styleSheet xmlns="{namespace}">{styles}</styleSheet>',
        "xl/worksheets/sheet1.xml": sheet_xml,
    }
    if strings is not None:
        rels += REL.format(id="rId3", kind=f"{office}/sharedStrings", target="/xl/sharedStrings.xml")
        found["xl/sharedStrings.xml"] = strings
    found["xl/_rels/workbook.xml.rels"] = RELS.format(rels + more_rels)
    return found


def package(entries: dict[str, str | bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression, compresslevel=1) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


def book(rows: str, **options: Any) -> bytes:
    """A workbook whose one sheet has these rows."""
    namespace = options.get("namespace", MAIN)
    before, after = options.pop("before", ""), options.pop("after", "")
    return package(parts(sheet(rows, before=before, after=after, namespace=namespace), **options))


def shared(*items: str) -> str:
    return f'<sst xmlns="{MAIN}">' + "".join(f"<si>{item}</si>" for item in items) + "</sst>"
