"""Logs through structlog: one JSON object a line in production, readable lines in the demo.
Never a secret, never a cell value: callers log ids and counts."""

import logging.config
import sys
from typing import TypedDict

import structlog


class LogSettings(TypedDict):
    level: str
    as_json: bool


def configure(settings: LogSettings) -> None:
    """Called by Django with settings.LOGGING. Correlation, organisation and work ids come by contextvars."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "lines": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": SHARED,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        *_last_processors(as_json=settings["as_json"]),
                    ],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
            "root": {"handlers": ["stderr"], "level": settings["level"]},
            "loggers": {
                # It brings a handler of its own when it finds none; the root's is the one.
                "django-q": {"level": settings["level"], "handlers": [], "propagate": True},
                "django.server": {"handlers": [], "propagate": True},
                # At DEBUG it writes what it signs, session tokens among it.
                "botocore": {"level": "WARNING"},
            },
        }
    )
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


SHARED: list[structlog.types.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def _last_processors(*, as_json: bool) -> list[structlog.types.Processor]:
    if as_json:
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]
