"""Datasets out: entries of the public catalogue, their publications, schedules and removals."""

from django.apps import AppConfig


class PublishingConfig(AppConfig):
    name = "publishing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from publishing import parts

        parts.register()
