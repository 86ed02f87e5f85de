"""Which call goes wrong next, and how: set by `PUT /faults`, or at random from a seed."""

import random
import threading
from collections.abc import Mapping
from typing import Any

CALLS = ("start", "status", "fetch", "delete")
FAULTS: Mapping[str, tuple[str, ...]] = {
    "start": ("unavailable", "overloaded", "malformed", "hangs", "broken_off", "forgotten", "failed"),
    "status": ("unavailable", "overloaded", "malformed", "hangs", "broken_off", "forgotten", "failed"),
    "fetch": ("unavailable", "overloaded", "hangs", "half", "longer", "other_bytes", "forgotten"),
    "delete": ("unavailable", "overloaded", "hangs", "broken_off"),
}


class Faults:
    """`next` of a call gives its next fault, or an empty string; how often each came is counted."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.planned: dict[str, list[str]] = {}
        self.rate, self.random = 0.0, random.Random(0)
        self.counted: dict[str, int] = {}

    def set(self, plan: Mapping[str, Any]) -> None:
        """`{"fetch": ["half", "other_bytes"], "rate": 0.2, "seed": 7}`. Raises ValueError."""
        for call in set(plan) & set(CALLS):
            unknown = [fault for fault in plan[call] if fault and fault not in FAULTS[call]]
            if unknown:
                raise ValueError(f"{call} has no fault {unknown[0]}")
        with self.lock:
            self.planned = {call: list(plan.get(call, [])) for call in CALLS}
            self.rate, self.random = float(plan.get("rate", 0.0)), random.Random(plan.get("seed", 0))

    def next(self, call: str) -> str:
        with self.lock:
            planned = self.planned.get(call)
            if planned:
                fault = planned.pop(0)
            else:
                fault = self.random.choice(FAULTS[call]) if self.random.random() < self.rate else ""
            if fault:
                name = f"{call} {fault}"
                self.counted[name] = self.counted.get(name, 0) + 1
            return fault
