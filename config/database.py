"""From one connection address (URL or libpq words) to Django's database settings."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

WORDS = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


def database_settings(url: str) -> dict[str, Any]:
    """Connections are kept and checked; there is no pool, because a pool does not survive a worker's fork."""
    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError as problem:
        raise ImproperlyConfigured(
            f"DATABASE_URL cannot be read ({str(problem).strip()}). "
            "It looks like postgresql://user:password@host:5432/name."
        ) from None
    if not parts.get("dbname"):
        raise ImproperlyConfigured(
            "DATABASE_URL names no database: postgresql://user:password@host:5432/name."
        )
    named = {WORDS[word]: str(value) for word, value in parts.items() if word in WORDS}
    options = {word: value for word, value in parts.items() if word not in WORDS}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **named,
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 10, **options},
    }
