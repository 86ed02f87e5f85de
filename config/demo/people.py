"""The demo's organisations and accounts. The accounts are named by their roles."""

from dataclasses import dataclass

from django.conf import settings

from accounts import members, organisations
from accounts.models import Membership, Organisation, Role, User
from accounts.principals import Principal

NAMES = {
    "administrator": ("Ada", "Marsh"),
    "operator": ("Olga", "Brandt"),
    "operator2": ("Omar", "Haddad"),
    "manager": ("Mira", "Novak"),
    "uploader": ("Uwe", "Lindqvist"),
}
AVIATION, REFERENCE = "aviation", "reference"
TITLES = {AVIATION: "Aviation Open Data", REFERENCE: "Reference Data Office"}
MEMBERS = {"manager": Role.MANAGER, "uploader": Role.UPLOADER}


@dataclass(frozen=True)
class Cast:
    """Who acts in the demo, by user name, and the organisations, by slug."""

    people: dict[str, Principal]
    organisations: dict[str, Organisation]


def make() -> Cast:
    """Safe to repeat: what is there stays as it is, passwords that people changed included."""
    people = {username: Principal(_person(username, *name)) for username, name in NAMES.items()}
    administrator = people["administrator"]
    made = {slug: _organisation(slug, title, administrator) for slug, title in TITLES.items()}
    for username, role in MEMBERS.items():
        member = people[username].user
        if not Membership.objects.filter(user=member, organisation=made[AVIATION]).exists():
            members.add(organisation=made[AVIATION], user=member, role=role, by=administrator)
    return Cast(people, made)


def _person(username: str, first: str, last: str) -> User:
    user, is_new = User.objects.get_or_create(
        username=username,
        defaults={
            "first_name": first,
            "last_name": last,
            "email": f"{username}@waybill.example",
            "is_operator": username.startswith(("operator", "administrator")),
            "is_superuser": username == "administrator",
            "is_staff": username == "administrator",
        },
    )
    if is_new:
        user.set_password(settings.DEMO_PASSWORD)
        user.save(update_fields=["password"])
    return user


def _organisation(slug: str, title: str, by: Principal) -> Organisation:
    found = Organisation.objects.filter(slug=slug).first()
    return found or organisations.add(slug=slug, title=title, by=by, why="The demo.")
