"""The geometry of small charts, as pure functions: numbers in, attributes of SVG elements out."""

from collections.abc import Sequence
from dataclasses import dataclass

EDGE = 1.5  # keeps half a stroke inside the view box
STRIP_HEIGHT = 18
HEIGHTS = {"bad": 18, "asking": 16, "part": 13, "done": 10, "running": 7, "waiting": 4, "cancelled": 4}


@dataclass(frozen=True)
class Sparkline:
    width: int
    height: int
    line: str
    area: str
    last_x: float
    last_y: float


@dataclass(frozen=True)
class Cell:
    x: int
    y: int
    width: int
    height: int
    shape: str
    label: str
    word: str


def sparkline(values: Sequence[float], *, width: int = 96, height: int = 22) -> Sparkline:
    """A line over its own area from zero to the largest value; one value is level, none is the floor."""
    heights = [max(0.0, float(value)) for value in values] or [0.0]
    heights = heights * 2 if len(heights) == 1 else heights
    top = max(heights) or 1.0
    across, up = (width - 2 * EDGE) / (len(heights) - 1), height - 2 * EDGE
    points = [
        (round(EDGE + place * across, 2), round(height - EDGE - value / top * up, 2))
        for place, value in enumerate(heights)
    ]
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    area = f"{line}L{points[-1][0]:g} {height}L{points[0][0]:g} {height}Z"
    return Sparkline(width, height, line, area, *points[-1])


def strip(states: Sequence[tuple[str, str, str]], *, width: int = 6, gap: int = 2) -> list[Cell]:
    """One cell for each (shape, label, word), oldest first. Heights differ as well as colours."""
    return [
        Cell(place * (width + gap), STRIP_HEIGHT - HEIGHTS[shape], width, HEIGHTS[shape], shape, label, word)
        for place, (shape, label, word) in enumerate(states)
    ]
