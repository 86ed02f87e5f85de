"""The settings of the clusters under the crash tests: the product's, and one more pipeline."""

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.crash.plainwork"]
