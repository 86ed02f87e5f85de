"""The styles part: for each cell style only what its number format says."""

from .formats import BUILT_IN, classify
from .markup import feed, local, new_parser
from .package import Package

MOST_STYLES = 70_000


def read_styles(package: Package, part: str) -> list[str]:
    """The wire format of each style number, in order."""
    codes: dict[str, str] = {}
    formats: list[str] = []
    inside: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        element = local(name)
        if element == "numFmt":
            codes.setdefault(attributes.get("numFmtId", ""), attributes.get("formatCode", ""))
        elif element == "xf" and inside and inside[-1] == "cellXfs" and len(formats) < MOST_STYLES:
            formats.append(attributes.get("numFmtId", "0"))
        inside.append(element)

    def end(_: str) -> None:
        inside.pop()

    parser = new_parser(part=part)
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    feed(parser, package.blocks(part), part=part)
    return meanings(formats, codes)


def meanings(numbers: list[str], codes: dict[str, str]) -> list[str]:
    """The wire format of each cell style, by the number of its format and the codes of the file."""
    known: dict[str, str] = {}
    for number in numbers:
        if number not in known:
            known[number] = _meaning(number, codes)
    return [known[number] for number in numbers]


def _meaning(number: str, codes: dict[str, str]) -> str:
    if number in codes:
        return classify(codes[number])
    return BUILT_IN.get(int(number), "") if number.isdecimal() else ""
