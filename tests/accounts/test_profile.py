from accounts.models import User
from work.models import Decision

PASSWORD = "a-long-password"
FIELDS = {"first_name": "Maja", "last_name": "Lind", "time_zone": "Europe/Stockholm", "mailing": "daily"}


def test_profile_is_changed_with_an_event(signed_in, manager):
    client = signed_in(manager)
    assert client.get("/profile/").status_code == 200

    client.post("/profile/", FIELDS)

    changed = User.objects.get()
    assert (changed.time_zone, changed.mailing) == ("Europe/Stockholm", "daily")
    assert Decision.objects.get().what == "person.changed"


def test_saving_without_a_change_writes_nothing(signed_in, manager):
    same = {"first_name": "", "last_name": "", "time_zone": "UTC", "mailing": "at_once"}

    signed_in(manager).post("/profile/", same)

    assert not Decision.objects.exists()


def test_zone_that_does_not_exist_is_refused(signed_in, manager):
    answer = signed_in(manager).post("/profile/", FIELDS | {"time_zone": "Mars/Olympus"})

    assert answer.status_code == 422
    assert User.objects.get().time_zone == "UTC"


def test_times_are_shown_in_the_zone_of_the_viewer(signed_in, manager, organisation):
    User.objects.update(time_zone="Asia/Tokyo")

    assert "JST" in signed_in(manager).get("/members/").content.decode()


def test_address_needs_the_password_again(client, signed_in, manager):
    assert signed_in(manager).get("/profile/address/")["Location"].startswith("/accounts/reauthenticate/")

    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/profile/address/", {"email": "new@example.org"})

    assert User.objects.get().email == "new@example.org"
    assert Decision.objects.get().after == {"email": "(an address)"}


def test_address_of_somebody_else_is_refused(client, manager, uploader):
    client.force_login(manager)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})

    answer = client.post("/profile/address/", {"email": uploader.email.upper()})

    assert answer.status_code == 422
    assert User.objects.get(pk=manager.pk).email == "manager@example.org"
