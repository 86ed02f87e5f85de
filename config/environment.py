"""Typed reading of environment variables. A missing or malformed value stops the start with a hint."""

import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})


def env_str(name: str, *, default: str | None = None, hint: str = "") -> str:
    value = os.environ.get(name, "").strip() or default
    if value is None:
        raise ImproperlyConfigured(_sentence(name, "is not set", hint))
    return value


def env_int(name: str, *, default: int | None = None, least: int | None = None, hint: str = "") -> int:
    text = env_str(name, default=None if default is None else str(default), hint=hint)
    try:
        number = int(text)
    except ValueError:
        raise ImproperlyConfigured(_sentence(name, f"is not a whole number: {text!r}", hint)) from None
    if least is not None and number < least:
        raise ImproperlyConfigured(_sentence(name, f"is {number}, but must be at least {least}", hint))
    return number


def env_bool(name: str, *, default: bool | None = None, hint: str = "") -> bool:
    word = env_str(name, default=None if default is None else str(default), hint=hint).lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(_sentence(name, f"is neither true nor false: {word!r}", hint))


def env_choice(name: str, words: Sequence[str], *, default: str) -> str:
    word = env_str(name, default=default)
    if word in words:
        return word
    listed = ", ".join(each for each in words if each)
    raise ImproperlyConfigured(_sentence(name, f"is {word!r}", f"It may be one of: {listed}."))


def env_list(name: str, *, default: Sequence[str] | None = None, hint: str = "") -> list[str]:
    """Parts between commas, without blanks around them and without empty parts."""
    text = env_str(name, default=None if default is None else ",".join(default), hint=hint)
    return [part.strip() for part in text.split(",") if part.strip()]


def _sentence(name: str, problem: str, hint: str) -> str:
    return f"The environment variable {name} {problem}." + (f" {hint}" if hint else "")
