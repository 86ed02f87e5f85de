"""Styles of an OpenDocument spreadsheet: what the number format of a cell says, and which sheets are hidden.
A data style is written as the format code that Excel has for it, so that both are understood in one place."""

from dataclasses import dataclass, field
from xml.parsers import expat

from .formats import classify
from .markup import feed, new_parser
from .package import Package
from .styles import MOST_STYLES

URN = "urn:oasis:names:tc:opendocument:xmlns:"
NUMBER, STYLE, TABLE = f"{URN}datastyle:1.0 ", f"{URN}style:1.0 ", f"{URN}table:1.0 "
DATA_STYLES = frozenset(
    NUMBER + name
    for name in ("number-style", "percentage-style", "currency-style", "date-style", "time-style")
)
DAYS = frozenset(NUMBER + name for name in ("day", "month", "year", "era", "day-of-week", "quarter"))
CLOCK = frozenset(NUMBER + name for name in ("hours", "minutes", "seconds"))
MOST_PARENTS = 20
MOST_DIGITS = 30


@dataclass
class Styles:
    """By name; the parts may name each other before they are defined."""

    formats: dict[str, str] = field(default_factory=dict)
    # Cell style to its data style and its parent.
    cells: dict[str, tuple[str, str]] = field(default_factory=dict)
    hidden_tables: set[str] = field(default_factory=set)

    def meaning(self, name: str) -> str:
        """The wire format of a cell style."""
        for _ in range(MOST_PARENTS):
            data, parent = self.cells.get(name, ("", ""))
            if data:
                return self.formats.get(data, "")
            if not parent:
                break
            name = parent
        return ""


def read_common_styles(package: Package, styles: Styles) -> None:
    part = "styles.xml"
    if part in package:
        parser = new_parser(part=part)
        StyleRows(styles).attach(parser)
        feed(parser, package.blocks(part), part=part)


class StyleRows:
    """Handlers that follow one style at a time."""

    def __init__(self, styles: Styles) -> None:
        self.styles = styles
        self.name = ""
        self.table = ""
        self.code: list[str] | None = None
        self.literal: list[str] | None = None
        self.digits = ""
        self.elapsed = False

    def attach(self, parser: expat.XMLParserType) -> None:
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == STYLE + "style":
            self._start_style(attributes)
        elif name == STYLE + "table-properties":
            if attributes.get(TABLE + "display") == "false":
                self.styles.hidden_tables.add(self.table)
        elif name in DATA_STYLES:
            self.name = attributes.get(STYLE + "name", "")
            self.elapsed = attributes.get(NUMBER + "truncate-on-overflow") == "false"
            self.code = ["%"] if name == NUMBER + "percentage-style" else []
        elif self.code is not None:
            self._start_piece(name, attributes)

    def end(self, name: str) -> None:
        if self.code is None:
            return
        if name in DATA_STYLES:
            if len(self.styles.formats) < MOST_STYLES:
                self.styles.formats[self.name] = classify("".join(self.code))
            self.code = None
        elif self.literal is not None and name in (NUMBER + "text", NUMBER + "currency-symbol"):
            text = "".join(self.literal).replace('"', "").replace("]", "")
            self.code.append(f"[${text}]" if name.endswith("symbol") else f'"{text}"')
            self.literal = None
        elif name == NUMBER + "number":
            self.code.append(self.digits)

    def characters(self, data: str) -> None:
        if self.literal is not None and len(self.literal) < 100:
            self.literal.append(data)

    def _start_style(self, attributes: dict[str, str]) -> None:
        name, family = attributes.get(STYLE + "name", ""), attributes.get(STYLE + "family")
        self.table = name if family == "table" else ""
        if family == "table-cell" and len(self.styles.cells) < MOST_STYLES:
            data = attributes.get(STYLE + "data-style-name", "")
            self.styles.cells[name] = data, attributes.get(STYLE + "parent-style-name", "")

    def _start_piece(self, name: str, attributes: dict[str, str]) -> None:
        assert self.code is not None  # noqa: S101 (asked before)
        if name in DAYS:
            self.code.append("y")
        elif name in CLOCK:
            self.code.append("[h]" if self.elapsed else "h")
        elif name in (NUMBER + "text", NUMBER + "currency-symbol"):
            self.literal = []
        elif name == NUMBER + "number":
            least = _count(attributes.get(NUMBER + "min-integer-digits", "1"))
            plain = attributes.get(NUMBER + "grouping") != "true" and not _count(
                attributes.get(NUMBER + "decimal-places", "0")
            )
            self.digits = "0" * least if plain else "#,##0.0"


def _count(digits: str) -> int:
    return min(int(digits), MOST_DIGITS) if digits.isdecimal() and len(digits) < 5 else 0
