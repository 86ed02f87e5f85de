import pytest
from django.contrib import admin
from django.contrib.messages import get_messages

from accounts.models import Membership, Organisation, User
from tests.factories import UserFactory
from work.models import Decision, Mail


@pytest.fixture
def administrator(db):
    return UserFactory(administrator=True, username="administrator")


@pytest.fixture
def mend(signed_in, administrator):
    """Open a form, change some of its fields, and send it with what it carried."""
    client = signed_in(administrator)

    def open_form(url):
        page = client.get(url)
        form = page.context["adminform"].form
        data = {}
        for name in form.fields:
            value = form[name].value()
            data[name] = data[f"initial-{name}"] = "" if value is None else value
        for name, value in list(data.items()):
            if value is False:
                del data[name]
        return data

    def send(url, data, **changes):
        return client.post(url, {**data, **changes})

    return open_form, send


def url_of(row, action="change"):
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/{action}/"


@pytest.mark.parametrize("who", ["operator", "manager", "uploader"])
def test_only_administrators_enter(signed_in, request, who):
    answer = signed_in(request.getfixturevalue(who)).get("/admin/", follow=True)

    assert answer.status_code == 403


def test_one_signs_in_where_everyone_does(client, db):
    answer = client.get("/admin/", follow=True)

    assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=")


def test_every_table_opens(signed_in, administrator, manager):
    client = signed_in(administrator)

    for model in admin.site._registry:
        answer = client.get(f"/admin/{model._meta.app_label}/{model._meta.model_name}/")
        assert answer.status_code == 200, model
        assert "Content-Security-Policy" in answer


def test_stock_pages_that_go_round_our_rules_are_left_out():
    shown = {model._meta.app_label for model in admin.site._registry}

    assert shown <= {"accounts", "ingestion", "work"}


def test_change_is_written_with_its_reason(mend, organisation, administrator):
    open_form, send = mend
    url = url_of(organisation)

    answer = send(url, open_form(url), title="North and East", reason="They merged")

    assert answer.status_code == 302
    assert Organisation.objects.get().title == "North and East"
    decision = Decision.objects.get()
    assert (decision.what, decision.why, decision.by) == (
        "organisation.changed",
        "They merged",
        administrator,
    )
    assert (decision.before, decision.after) == ({"title": "North"}, {"title": "North and East"})


def test_change_without_a_reason_is_refused(mend, organisation):
    open_form, send = mend
    url = url_of(organisation)

    answer = send(url, open_form(url), title="Other", reason="")

    assert answer.status_code == 200
    assert Organisation.objects.get().title == "North"


@pytest.mark.parametrize("changes", [{"time_zone": "Mars/Olympus"}, {"default_encoding": "klingon"}])
def test_what_does_not_exist_is_refused(mend, organisation, changes):
    open_form, send = mend
    url = url_of(organisation)

    answer = send(url, open_form(url), reason="x", **changes)

    assert "Nothing was changed. There is no" in str(next(iter(get_messages(answer.wsgi_request))))
    assert Organisation.objects.get().time_zone == "UTC"
    assert not Decision.objects.exists()


def test_fields_changed_by_others_meanwhile_are_kept(mend, organisation):
    open_form, send = mend
    url = url_of(organisation)
    opened = open_form(url)
    Organisation.objects.update(locale="sv")

    send(url, opened, title="North and East", reason="They merged")

    changed = Organisation.objects.get()
    assert (changed.title, changed.locale) == ("North and East", "sv")


def test_same_field_changed_meanwhile_is_refused(mend, organisation):
    open_form, send = mend
    url = url_of(organisation)
    opened = open_form(url)
    Organisation.objects.update(title="South")

    answer = send(url, opened, title="East", reason="x")

    assert "Somebody changed this meanwhile; it is now South." in answer.content.decode()
    assert Organisation.objects.get().title == "South"


def test_administrator_is_made_whole(mend, uploader):
    open_form, send = mend
    url = url_of(uploader)

    answer = send(url, open_form(url), is_superuser="on", reason="New colleague")

    assert answer.status_code == 302
    changed = User.objects.get(pk=uploader.pk)
    assert (changed.is_superuser, changed.is_operator, changed.is_staff) == (True, True, True)


def test_operator_flag_of_an_administrator_cannot_be_taken_alone(mend, administrator):
    open_form, send = mend
    url = url_of(administrator)
    opened = open_form(url)
    del opened["is_operator"]

    answer = send(url, opened, reason="x")

    assert "An administrator is an operator too" in str(next(iter(get_messages(answer.wsgi_request))))
    assert User.objects.get(pk=administrator.pk).is_operator


def test_person_is_added_with_a_mail_and_no_password(mend, administrator):
    _, send = mend

    answer = send(
        "/admin/accounts/user/add/", {"username": "maja", "email": "maja@example.org", "reason": "New"}
    )

    assert answer.status_code == 302
    user = User.objects.get(username="maja")
    assert not user.has_usable_password()
    assert Mail.objects.get().user == user


def test_membership_is_added_and_changed(mend, organisation, uploader):
    open_form, send = mend
    other = UserFactory()
    given = {"user": other.pk, "organisation": organisation.pk, "role": "uploader", "reason": "Joined"}
    assert send("/admin/accounts/membership/add/", given).status_code == 302

    url = url_of(Membership.objects.get(user=other))
    send(url, open_form(url), role="manager", reason="Took over")

    assert Membership.objects.get(user=other).role == "manager"
    assert [decision.why for decision in Decision.objects.order_by("pk")] == ["Joined", "Took over"]


def test_password_hash_is_never_shown(signed_in, administrator, manager):
    page = signed_in(administrator).get(url_of(manager)).content.decode()

    assert manager.password not in page
    assert "password" not in page.split("<form", 2)[-1].split("</form>")[0].lower()
