from django.apps import AppConfig


class RoofConfig(AppConfig):
    name = "config"
    label = "config"
    default_auto_field = "django.db.models.BigAutoField"
