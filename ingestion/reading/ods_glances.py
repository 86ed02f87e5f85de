"""The first rows of every table of an OpenDocument spreadsheet, in one pass: they all stand in one part."""

import contextlib

from .failures import Refused
from .glancing import Enough, Glance
from .looking import FirstRow
from .markup import feed, new_parser
from .ods_rows import TABLE_ELEMENT, OdsRows
from .ods_styles import Styles
from .opening import Looking
from .package import Package
from .rows import RowOfCells


class OdsGlances(OdsRows):
    """Reads when it is first asked. The rows of each table go to a glance of its own, until it has enough."""

    def __init__(self, *, styles: Styles, looking: Looking, package: Package) -> None:
        super().__init__(-1, styles=styles, sink=Glance(looking))
        self.looking = looking
        self.package = package
        self.glances: dict[int, Glance] = {}

    def rows(self, place: int) -> list[FirstRow]:
        if not self.glances:
            self._read()
        return self.glances[place].rows() if place in self.glances else []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == TABLE_ELEMENT and not (self.beside or self.in_cell):
            self._begin(self.tables + 1)
        super().start(name, attributes)

    def _end_row(self) -> None:
        try:
            super()._end_row()
        except (Enough, Refused):
            self.in_table = False

    def _begin(self, place: int) -> None:
        self.place = place
        self.sink = self.glances[place] = Glance(self.looking)
        self.row = RowOfCells(self.sink)
        self.column_styles = []
        self.last_row = 0

    def _read(self) -> None:
        parser = new_parser(part="content.xml")
        self.attach(parser)
        with contextlib.suppress(Refused):
            feed(parser, self.package.blocks("content.xml"), part="content.xml")
