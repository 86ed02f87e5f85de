"""A pipeline of two steps that holds nothing but what the ground promises: killed apart from ingestion."""

from django.apps import AppConfig


class PlainWorkConfig(AppConfig):
    name = "tests.crash.plainwork"
    label = "plainwork"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from tests.crash.plainwork import pipeline
        from work import pipelines

        pipelines.register(pipeline.PLAIN)
