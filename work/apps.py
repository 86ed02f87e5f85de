"""The ground: leases, recovery, periodic jobs, events. Imports no other app."""

from django.apps import AppConfig


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
        )

        pipelines.register(periodic.PIPELINE)
        pipelines.register(deliveries.PIPELINE)
        ground_jobs.register()
        ground_parts.register()
        ground_badges.register_ground()
        rail_entries.register_ground()
        console_parts.register()
