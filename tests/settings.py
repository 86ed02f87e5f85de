"""The settings of test runs: the demo's, with fast hashing and templates that refuse missing variables."""

import os
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DEMO", "true")
os.environ.setdefault("VAR_DIR", str(ROOT / "var" / "tests"))

from config.settings import *  # noqa: E402, F403 - the environment above must come first
from config.settings import DATABASES, TEMPLATES  # noqa: E402


class MissingVariable(str):
    """What a template gets for a variable that does not exist: in our own templates the test fails, naming
    it; the stock admin and allauth templates lean on the empty answer."""

    def __contains__(self, part: object) -> bool:
        # Django asks whether "%s" stands in the text, and then fills in the variable's name.
        return part == "%s"

    def __mod__(self, name: object) -> str:
        template = _template_in_rendering()
        if template and Path(template).is_relative_to(ROOT / "templates"):
            raise AssertionError(f"{template} asks for a variable that does not exist: {name}")
        return ""


def _template_in_rendering() -> str | None:
    frame: FrameType | None = sys._getframe()
    while frame := frame and frame.f_back:
        origin = getattr(frame.f_locals.get("self"), "origin", None)
        if origin is not None:
            return origin.name
    return None


TEMPLATES[0]["OPTIONS"]["string_if_invalid"] = MissingVariable("missing")
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Static files are looked for when they are asked for: a test client need not read them all first.
WHITENOISE_AUTOREFRESH = True
# Copied and not migrated, where `make test` has migrated one.
if template := os.environ.get("TEST_DATABASE_TEMPLATE"):
    DATABASES["default"].setdefault("TEST", {})["TEMPLATE"] = template
