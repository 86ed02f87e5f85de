"""How states look: each state machine registers a shape, a word and one sentence for each of its states.
Pages draw them with one component; the help page lists them from here, so that the two cannot disagree."""

from collections.abc import Mapping
from dataclasses import dataclass

SHAPES = {
    "waiting": "Nothing works on it now. It will be taken up at a known time.",
    "running": "A worker holds it and reports that it is alive.",
    "done": "Finished, and nothing is missing.",
    "part": "Finished, but some of it was refused. The page says what is missing.",
    "bad": "Finished without the result that was asked for.",
    "asking": "Only a person can decide how it goes on.",
    "cancelled": "Withdrawn or left out on purpose. Nothing more will happen.",
}


@dataclass(frozen=True)
class Badge:
    shape: str
    word: str
    meaning: str = ""

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise ValueError(f"no shape {self.shape!r} for a state; choose one of {', '.join(SHAPES)}")


@dataclass(frozen=True)
class Machine:
    title: str
    badges: Mapping[str, Badge]


_machines: dict[str, Machine] = {}


def register(machine: str, *, title: str, badges: Mapping[str, Badge]) -> None:
    """Say how the states of a machine look. Safe to repeat; called in apps.ready()."""
    _machines[machine] = Machine(title, dict(badges))


def find(machine: str, state: str) -> Badge:
    """An unknown state is a mistake of ours, but must not take the page down: it shows as itself."""
    known = _machines.get(machine)
    if known and state in known.badges:
        return known.badges[state]
    return Badge("waiting", state.replace("_", " ").capitalize())


def machines() -> list[Machine]:
    return sorted(_machines.values(), key=lambda machine: machine.title)
