"""Spreadsheets in: datasets, uploads, their verdicts and reports."""

from django.apps import AppConfig


class IngestionConfig(AppConfig):
    name = "ingestion"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from ingestion import parts

        parts.register()
