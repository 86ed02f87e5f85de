import io
import re

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import cache
from django.core.management import CommandError, call_command

from accounts.models import User
from work.models import Decision, Event

PASSWORD = "a-long-password"


@pytest.fixture(autouse=True)
def no_attempts_before(db):
    cache.clear()


def sign_in(client, user, password=PASSWORD, **more):
    return client.post("/accounts/login/", {"login": user.username, "password": password, **more})


def test_sign_in_by_user_name_and_by_address(client, manager):
    assert sign_in(client, manager)["Location"] == "/"
    client.logout()

    answer = client.post("/accounts/login/", {"login": manager.email, "password": PASSWORD})

    assert answer["Location"] == "/"


def test_page_leads_back_to_where_one_came_from(client, manager):
    asked = client.get("/members/")
    assert asked["Location"] == "/accounts/login/?next=/members/"

    assert 'name="next" value="/members/"' in client.get(asked["Location"]).content.decode()
    assert sign_in(client, manager, next="/members/")["Location"] == "/members/"


def test_fragment_gets_401_instead_of_the_sign_in_page(client, db):
    assert client.get("/members/", headers={"HX-Request": "true"}).status_code == 401


def test_wrong_password_is_told_without_saying_which_part(client, manager):
    page = sign_in(client, manager, "wrong").content.decode()

    assert "Not sent" in page
    assert "are not correct" in page


def test_attempts_are_limited(client, manager):
    for _ in range(5):
        sign_in(client, manager, "wrong")

    answer = sign_in(client, manager)

    assert "_auth_user_id" not in client.session
    assert answer.status_code in (200, 429)


def test_form_says_what_to_fill_in(client, db):
    assert "User name or e-mail address" in client.get("/accounts/login/").content.decode()


def test_there_is_no_sign_up(client, db):
    assert client.get("/accounts/signup/").status_code == 404
    assert client.post("/accounts/signup/", {"username": "x"}).status_code == 404


def test_password_is_set_by_a_link_in_a_mail(client, manager, mailoutbox):
    assert client.get("/accounts/password/reset/").status_code == 200
    answer = client.post("/accounts/password/reset/", {"email": manager.email})
    assert "Look into your mail" in client.get(answer["Location"]).content.decode()
    link = re.search(r"/accounts/password/reset/key/\S+", mailoutbox[0].body).group()

    form = client.get(client.get(link)["Location"])
    done = client.post(
        form.wsgi_request.path, {"password1": "another-long-one", "password2": "another-long-one"}
    )

    assert "The new password is set" in client.get(done["Location"]).content.decode()
    assert User.objects.get().check_password("another-long-one")
    assert "no longer works" in client.get(link).content.decode()


def test_reset_does_not_tell_whether_an_account_exists(client, manager, mailoutbox):
    answer = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})

    assert answer["Location"] == "/accounts/password/reset/done/"
    assert mailoutbox == []


def test_password_is_changed(client, manager):
    sign_in(client, manager)
    assert client.get("/accounts/password/change/").status_code == 200

    new = "another-long-one"
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})

    assert User.objects.get().check_password(new)


def test_sign_out_asks_and_ends_the_session(client, manager):
    sign_in(client, manager)
    assert "Stay signed in" in client.get("/accounts/logout/").content.decode()

    client.post("/accounts/logout/")

    assert "_auth_user_id" not in client.session


def set_up_second_factor(client):
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    key = re.search(r">([A-Z2-7]{16,})<", page).group(1)
    code = totp.format_hotp_value(totp.hotp_value(key, next(totp.yield_hotp_counters_from_time())))
    return page, client.post("/accounts/2fa/totp/activate/", {"code": code})


def test_second_factor_is_set_up_and_asked_for(client, manager):
    sign_in(client, manager)
    page, answer = set_up_second_factor(client)
    assert "<svg role=" in page
    assert "data:" not in page
    assert "recovery codes are unused" in client.get(answer["Location"]).content.decode()
    client.post("/accounts/logout/")

    assert sign_in(client, manager)["Location"].startswith("/accounts/2fa/authenticate/")
    assert "_auth_user_id" not in client.session
    assert "Enter the code" in client.get("/accounts/2fa/authenticate/").content.decode()
    recovery = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
    client.post("/accounts/2fa/authenticate/", {"code": recovery})

    assert client.session["_auth_user_id"] == str(manager.pk)


def test_second_factor_pages_open(client, manager):
    sign_in(client, manager)
    set_up_second_factor(client)

    for path in (
        "",
        "totp/deactivate/",
        "recovery-codes/",
        "recovery-codes/generate/",
        "recovery-codes/download/",
    ):
        assert client.get(f"/accounts/2fa/{path}").status_code == 200, path


def test_operator_without_second_factor_is_sent_to_set_it_up(client, operator, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    sign_in(client, operator)

    assert client.get("/members/")["Location"] == "/accounts/2fa/totp/activate/"
    assert client.get("/admin/")["Location"] == "/accounts/2fa/totp/activate/"
    assert client.get("/help/").status_code == 200
    api = client.get("/api/v1/me")
    assert (api.status_code, api.json()["code"]) == (403, "second_factor_required")
    set_up_second_factor(client)

    assert client.get("/members/").status_code == 200
    assert client.get("/api/v1/me").status_code == 200


def test_page_that_sets_up_the_second_factor_reads_nothing_that_refuses(client, operator, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    sign_in(client, operator)

    page = client.get("/accounts/2fa/totp/activate/", follow=True).content.decode()
    live_part = client.get("/health/line/", headers={"HX-Request": "true"})

    assert "Enter your password again" in page
    assert "hx-get" not in page
    assert live_part.status_code == 403


def test_lost_second_factor_is_forgotten_with_a_reason(client, operator):
    sign_in(client, operator)
    set_up_second_factor(client)

    call_command("forget_second_factor", "operator", why="Lost the phone", stdout=io.StringIO())

    assert not Authenticator.objects.exists()
    assert Decision.objects.get().why == "Lost the phone"
    with pytest.raises(CommandError):
        call_command("forget_second_factor", "operator", why="again")


def test_changes_of_the_way_to_sign_in_are_events(client, manager, django_capture_on_commit_callbacks):
    sign_in(client, manager)
    with django_capture_on_commit_callbacks(execute=True):
        set_up_second_factor(client)
    new = "another-long-one"
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})

    told = [event.type for event in Event.objects.order_by("id")]

    assert told.count("person.second_factor_added") == 2  # the codes of recovery come with it
    assert told[-1] == "person.password_changed"


def test_member_needs_no_second_factor(client, manager, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    sign_in(client, manager)

    assert client.get("/members/").status_code == 200


def test_picture_of_the_secret_is_dark_on_white():
    drawn = get_adapter().build_totp_svg("otpauth://totp/x?secret=ABC")

    assert drawn.startswith('<svg role="img" aria-label="')
    assert 'fill="white"' in drawn
    assert "style=" not in drawn
