"""What happens once after a start: the address is printed when the web server answers, and a new demo is
filled by running the pipelines, which needs the workers."""

from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model

from config.children import Part
from config.supervisor import Supervisor

ROLES = ("operator", "operator2", "administrator", "manager", "uploader")


class Opening:
    def __init__(
        self,
        *,
        supervisor: Supervisor,
        web_answers: Callable[[], bool],
        address: str,
        demo: Part | None,
        var: Path,
    ) -> None:
        self.supervisor = supervisor
        self.web_answers = web_answers
        self.address = address
        self.demo = demo
        self.unfinished = var / "demo-unfinished"
        self.steps = self._steps()

    def look(self) -> None:
        """Called again and again; goes as far as it can each time."""
        next(self.steps, None)

    def _steps(self) -> Iterator[None]:
        while not self.web_answers():
            yield
        self.supervisor.instance.say(address=self.address)
        self.supervisor.tell(f"\n  Waybill answers at {self.address}\n")
        if self.demo is not None:
            if self.unfinished.exists() or not get_user_model().objects.exists():
                yield from self._fill(self.demo)
            self.supervisor.tell(
                f"  Sign in as {', '.join(ROLES)}. The password of each is {settings.DEMO_PASSWORD}\n"
                "  Ctrl-C stops everything.\n"
            )

    def _fill(self, demo: Part) -> Iterator[None]:
        """A demo that was killed half-way is filled on at the next start."""
        self.unfinished.touch()
        self.supervisor.tell("Filling the demo by real uploads, once. This takes a minute or two.")
        errand = self.supervisor.start_errand(demo)
        while not errand.has_ended():
            yield
        if errand.process is not None and errand.process.returncode:
            self.supervisor.tell(f"The demo could not be filled. Why stands in {demo.log}")
            return
        self.unfinished.unlink(missing_ok=True)
