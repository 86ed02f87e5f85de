from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class RoofConfig(AppConfig):
    name = "config"
    label = "config"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from work import navigation

        navigation.register("", "Overview", "home", order=10)
        navigation.register("Operation", "Components", "gallery", order=900, permission=navigation.operators)


class MendingConfig(AdminConfig):
    default_site = "work.admin_base.WaybillAdminSite"
