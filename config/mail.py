"""Where mail goes, from one address: smtp://user:password@host:587, smtps://…:465, console: or file:."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BACKENDS = "django.core.mail.backends"


def mail_settings(url: str, *, folder: Path) -> dict[str, Any]:
    parts = urlsplit(url)
    match parts.scheme:
        case "console":
            return {"EMAIL_BACKEND": f"{BACKENDS}.console.EmailBackend"}
        case "file":
            return {
                "EMAIL_BACKEND": f"{BACKENDS}.filebased.EmailBackend",
                "EMAIL_FILE_PATH": parts.path or str(folder),
            }
        case "smtp" | "smtps":
            encrypted_from_the_start = parts.scheme == "smtps"
            return {
                "EMAIL_BACKEND": f"{BACKENDS}.smtp.EmailBackend",
                "EMAIL_HOST": parts.hostname or "localhost",
                "EMAIL_PORT": parts.port or (465 if encrypted_from_the_start else 587),
                "EMAIL_HOST_USER": unquote(parts.username or ""),
                "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
                "EMAIL_USE_SSL": encrypted_from_the_start,
                "EMAIL_USE_TLS": not encrypted_from_the_start and "plain" not in parts.query,
                "EMAIL_TIMEOUT": 20,
            }
    raise ImproperlyConfigured(
        f"EMAIL_URL has an unknown beginning: {parts.scheme or url!r}. "
        "It is smtp://user:password@host:587, smtps://user:password@host:465, console: or file:/folder."
    )
