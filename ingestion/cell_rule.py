"""The shapes in which `ingestion.cell_rules` says how cells are understood."""

from dataclasses import dataclass
from typing import Any

from ingestion.reading.cells import WireCell

SAID = ("decimalChar", "bareNumber", "trueValues", "missingValues")


@dataclass(frozen=True)
class Example:
    """`typed` is what a person sees in the spreadsheet, `cell` the same as it comes from the file. It becomes
    either `stored`, as JSON, or the error `code`. `before` is a cell above it in the same column."""

    typed: str
    cell: WireCell
    of: dict[str, Any]
    stored: str = ""
    code: str = ""
    locale: str = "en"
    before: WireCell = None

    @property
    def column(self) -> str:
        """The field in words."""
        words = [self.of.get("type", "string")]
        if "format" in self.of:
            words.append(f"format {self.of['format']}")
        words += [f"{name} {_word(value)}" for name, value in self.of.get("constraints", {}).items()]
        words += [f"{name} {_word(self.of[name])}" for name in SAID if name in self.of]
        return ", ".join(words) + (f" (locale {self.locale})" if self.locale != "en" else "")


@dataclass(frozen=True)
class CellRule:
    """`codes` are the errors that it explains; the first name is the anchor of its section."""

    anchor: str
    title: str
    text: str
    examples: tuple[Example, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def more_codes(self) -> list[str]:
        """Anchors beside the section's own."""
        return [code for code in self.codes if code != self.anchor]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(f"“{each}”" for each in value) if isinstance(value, list) else str(value)
