"""What people read for a failure code: what happened, and what to do. Apps register theirs."""

from collections.abc import Callable, Mapping
from typing import Any

Text = tuple[str, str]
Texts = Mapping[str, Text | Callable[[Mapping[str, Any]], Text]]

_registered: dict[str, Text | Callable[[Mapping[str, Any]], Text]] = {
    "worker_died_repeatedly": (
        "The worker died three times without an answer, last at the step {step}.",
        "Tell an operator: the attempts below say which workers died where.",
    ),
    "recovery_failed": (
        "It could not be returned to the queue after its worker died.",
        "Tell an operator, who can see what stood in the way.",
    ),
    "unforeseen_error": (
        "It kept failing for a reason that was not foreseen, and was given up.",
        "Tell an operator, who can see the error of every attempt.",
    ),
}


class _Unknown:
    """Stands for what the detail does not say, whatever form the sentence wants it in."""

    def __format__(self, form: str) -> str:
        return "…"


class _Lenient(dict[str, Any]):
    def __missing__(self, key: str) -> _Unknown:
        return _Unknown()


def register(texts: Texts) -> None:
    """Code to (message, remedy), filled with the failure's detail by name; or a function of the detail."""
    _registered.update(texts)


def describe(code: str, detail: Mapping[str, Any] | None = None) -> Text:
    found = _registered.get(code)
    if found is None:
        return (
            f"It failed for a reason that has no sentence yet ({code}).",
            "Tell an operator, who can see its attempts and what they ran into.",
        )
    given = dict(detail or {})
    if callable(found):
        return found(given)
    message, remedy = found
    return message.format_map(_Lenient(given)), remedy.format_map(_Lenient(given))
