"""What the workbook part says: its sheets in order, their state, the date system, and where the parts lie."""

import posixpath
from dataclasses import dataclass, field
from urllib.parse import unquote

from .failures import Refused
from .markup import feed, local, new_parser
from .package import Package

# Spreadsheet programs allow 31 characters.
LONGEST_NAME = 100


@dataclass
class Sheet:
    name: str
    part: str
    hidden: bool


@dataclass
class Workbook:
    sheets: list[Sheet] = field(default_factory=list)
    date1904: bool = False
    strings: str = ""
    styles: str = ""


def linked_parts(package: Package, part: str) -> tuple[Workbook, dict[str, tuple[str, str]]]:
    """A workbook that knows where its strings and styles are, and everything that its part points to."""
    links = relationships(package, part)
    book = Workbook()
    for kind, target in links.values():
        if kind == "sharedStrings":
            book.strings = target
        elif kind == "styles":
            book.styles = target
    return book, links


def read_workbook(package: Package, part: str) -> Workbook:
    book, links = linked_parts(package, part)

    def start(name: str, attributes: dict[str, str]) -> None:
        named = {local(key): value for key, value in attributes.items()}
        element = local(name)
        if element == "workbookPr":
            book.date1904 = named.get("date1904") in ("1", "true", "on")
        elif element == "sheet":
            kind, target = links.get(named.get("id", ""), ("", ""))
            if kind == "worksheet":
                hidden = named.get("state", "visible") != "visible"
                book.sheets.append(Sheet(named.get("name", "")[:LONGEST_NAME], target, hidden))

    parser = new_parser(part=part)
    parser.StartElementHandler = start
    feed(parser, package.blocks(part), part=part)
    if not any(element for element in (book.sheets, book.strings, book.styles)) and not links:
        raise Refused("format_zip")
    return book


def relationships(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Id to (kind, part) of what `part` points to inside the package; "" is the package itself."""
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, tuple[str, str]] = {}
    if rels not in package:
        return found

    def start(element: str, attributes: dict[str, str]) -> None:
        if local(element) == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            target = unquote(attributes.get("Target", "")).split("#")[0].replace("\\", "/")
            inside = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found[attributes.get("Id", "")] = (kind, inside)

    parser = new_parser(part=rels)
    parser.StartElementHandler = start
    feed(parser, [package.small(rels)], part=rels)
    return found
