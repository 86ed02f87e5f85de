"""How much of its allowance each caller has used."""

from django.db import models


class RateWindow(models.Model):
    """One row per caller: the minute it last called in, and how often in that minute."""

    key = models.CharField(max_length=80, primary_key=True)
    began_at = models.DateTimeField()
    taken = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.key
