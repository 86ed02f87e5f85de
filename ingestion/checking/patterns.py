"""Patterns of a schema. They come from people, so none may take time that grows beyond its text:
simple ones run in re, all others in RE2, which is linear but ten times slower to call."""

import re
from collections.abc import Callable
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import re2  # type: ignore[import-untyped]

LONGEST_PATTERN = 500
LONGEST_TEXT = 10_000
# More free repeats than this one after another may take quadratic time and worse.
MOST_FREE_REPEATS = 1
SMALL_REPEAT = 10
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)

Fits = Callable[[str], Any]


class UnsafePattern(ValueError):
    """The pattern cannot be used; the text says why."""


def compile_pattern(pattern: str) -> Fits:
    """A function that says whether a whole text has the form of the pattern."""
    if len(pattern) > LONGEST_PATTERN:
        raise UnsafePattern(f"it is longer than {LONGEST_PATTERN} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 4 << 20
    try:
        linear = re2.compile(pattern, options)
    except re2.error as error:
        raise UnsafePattern(_reason(error)) from error
    simple = _simple(pattern)
    return simple.fullmatch if simple else linear.fullmatch


def _simple(pattern: str) -> re.Pattern[str] | None:
    try:
        compiled = re.compile(pattern, re.ASCII)
        free = _free_repeats(_parser.parse(pattern, re.ASCII))
    except (re.error, OverflowError, RecursionError):
        # RE2 knows forms that re does not, such as classes of Unicode letters.
        return None
    return compiled if free <= MOST_FREE_REPEATS else None


def _free_repeats(tree: Any, *, inside: bool = False) -> int:
    """How many repeats may match texts of different length; a nested one counts as too many."""
    count = 0
    for operator, argument in tree:
        if operator in REPEATS:
            least, most, body = argument
            if least != most and inside:
                return MOST_FREE_REPEATS + 1
            wide = least != most and (most is _constants.MAXREPEAT or most > SMALL_REPEAT)
            count += wide + _free_repeats(body, inside=inside or most > 1)
        elif operator is _constants.SUBPATTERN:
            count += _free_repeats(argument[-1], inside=inside)
        elif operator is _constants.BRANCH:
            if inside:
                return MOST_FREE_REPEATS + 1
            count += sum(_free_repeats(branch, inside=inside) for branch in argument[1])
        elif operator not in (
            _constants.LITERAL,
            _constants.NOT_LITERAL,
            _constants.IN,
            _constants.ANY,
            _constants.AT,
        ):
            return MOST_FREE_REPEATS + 1
    return count


def _reason(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
