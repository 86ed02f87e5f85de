from django.db import models

from work.models import Leased, lease_constraints, lease_indexes


class PlainState(models.TextChoices):
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


TERMINAL = (PlainState.DONE, PlainState.FAILED, PlainState.CANCELLED)
MOVES = {
    PlainState.WAITING: (PlainState.WORKING, PlainState.CANCELLED, PlainState.FAILED),
    PlainState.WORKING: (PlainState.WAITING, *TERMINAL),
    **dict.fromkeys(TERMINAL, ()),
}


class PlainWork(Leased):
    """`seconds` is how long the first step takes; `deadly` work kills each worker that touches it."""

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=PlainState, default=PlainState.WAITING)
    seconds = models.FloatField(default=0)
    deadly = models.BooleanField(default=False)

    class Meta:
        constraints = lease_constraints("plain_work", terminal=TERMINAL)
        indexes = lease_indexes("plain_work")

    def __str__(self):
        return str(self.pk)


class PlainEffect(models.Model):
    """What finishing a piece of work did. Nothing but the fence keeps a second row away."""

    work = models.ForeignKey(PlainWork, on_delete=models.CASCADE, related_name="effects")
    token = models.UUIDField()

    def __str__(self):
        return f"{self.work_id} by {self.token}"
