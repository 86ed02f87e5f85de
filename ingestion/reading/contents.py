"""What a zip package holds, told by its parts: a workbook of one of three formats, or something else."""

from .failures import Refused
from .kinds import Kind
from .package import Package
from .workbook import relationships

MANIFEST = "META-INF/manifest.xml"
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
OTHER_DOCUMENTS = {b"text": "format_word", b"presentation": "format_slides"}


def main_part(package: Package) -> tuple[Kind, str]:
    """The format of the workbook and the name of its main part; refuses anything else by its real name."""
    if _is_open_document(package):
        return Kind.ODS, "content.xml"
    target = ""
    if "_rels/.rels" in package:
        for kind, part in relationships(package, "").values():
            if kind == "officeDocument":
                target = part
    if not target:
        target = "xl/workbook.bin" if "xl/workbook.bin" in package else "xl/workbook.xml"
    folder = target.lower().partition("/")[0]
    if folder == "word" or (target not in package and "word/document.xml" in package):
        raise Refused("format_word")
    if folder == "ppt":
        raise Refused("format_slides")
    if "index/document.iwa" in package or "index.zip" in package:
        raise Refused("format_numbers")
    if target not in package:
        raise Refused("format_zip")
    return (Kind.XLSB if target.lower().endswith(".bin") else Kind.XLSX), target


def _is_open_document(package: Package) -> bool:
    declared = b""
    for part in ("mimetype", MANIFEST):
        if part in package:
            declared += package.small(part)
    if b"encryption-data" in declared:
        raise Refused("format_encrypted")
    start = declared.find(OPEN_DOCUMENT) + len(OPEN_DOCUMENT)
    if start < len(OPEN_DOCUMENT):
        return False
    for name, code in OTHER_DOCUMENTS.items():
        if declared.startswith(name, start):
            raise Refused(code)
    return declared.startswith(b"spreadsheet", start)
