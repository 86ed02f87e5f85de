"""The ground: leases, recovery, periodic jobs, events. Imports no other app."""

from django.apps import AppConfig
from django.core import checks


class WorkConfig(AppConfig):
    name = "work"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from work import (
            console_parts,
            deliveries,
            ground_badges,
            ground_jobs,
            ground_parts,
            periodic,
            pipelines,
            rail_entries,
            storage_checks,
        )

        pipelines.register(periodic.PIPELINE)
        pipelines.register(deliveries.PIPELINE)
        ground_jobs.register()
        ground_parts.register()
        ground_badges.register_ground()
        rail_entries.register_ground()
        console_parts.register()
        checks.register(storage_checks.storage_takes_files, checks.Tags.files, deploy=True)
