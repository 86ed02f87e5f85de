from django.apps import AppConfig
from django.http import HttpRequest


class AccountsConfig(AppConfig):
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts import finders, sign_in_events
        from work import finding, navigation

        sign_in_events.listen()
        finding.register("organisations", finders.find_organisations)
        finding.register("tokens", finders.find_tokens)

        navigation.register("Account", "Members", "members", permission=manages, order=10)
        navigation.register("Account", "API tokens", "tokens", permission=manages, order=20)
        navigation.register("Account", "Your profile", "profile", order=30)


def manages(request: HttpRequest) -> bool:
    principal = getattr(request, "principal", None)
    return principal is not None and (principal.is_operator or "manager" in principal.roles.values())
