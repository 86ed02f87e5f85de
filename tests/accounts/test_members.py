import pytest
from django.contrib.messages import get_messages

from accounts import members, tokens
from accounts.models import ApiToken, Membership, User
from tests.factories import MembershipFactory, UserFactory
from work.failures import StateChanged
from work.models import Decision, Event, Mail


def test_page_lists_members(signed_in, manager, uploader):
    page = signed_in(manager).get("/members/").content.decode()

    assert "uploader@example.org" in page
    assert "Make manager" in page


@pytest.mark.parametrize("count", [1, 3])
def test_page_takes_as_many_queries_for_three_members(
    signed_in, manager, organisation, count, django_assert_num_queries
):
    MembershipFactory.create_batch(count, organisation=organisation)
    client = signed_in(manager)

    with django_assert_num_queries(9):  # the rail counts too: notifications, and what needs a person
        client.get("/members/")


def test_member_is_added_by_user_name_with_a_decision(signed_in, manager, organisation):
    UserFactory(username="new")

    answer = signed_in(manager).post("/organisations/north/members/", {"who": "new", "role": "uploader"})

    assert answer.status_code == 302
    assert Membership.objects.get(user__username="new").role == "uploader"
    assert Decision.objects.get().by == manager
    assert Event.objects.get().type == "member.added"


def test_unknown_address_gets_an_account_and_a_mail(signed_in, manager, organisation):
    signed_in(manager).post("/organisations/north/members/", {"who": "maja@example.org", "role": "manager"})

    user = User.objects.get(username="maja@example.org")
    assert not user.has_usable_password()
    assert "/accounts/password/reset/" in Mail.objects.get(user=user).text
    assert user.memberships.get().role == "manager"


def test_unknown_user_name_is_refused_beside_its_field(signed_in, manager):
    answer = signed_in(manager).post("/organisations/north/members/", {"who": "nobody", "role": "uploader"})

    assert answer.status_code == 422
    assert "Nobody has this user name." in answer.content.decode()


def test_member_cannot_be_added_twice(signed_in, manager, uploader):
    answer = signed_in(manager).post("/organisations/north/members/", {"who": "uploader", "role": "manager"})

    assert answer.status_code == 422
    assert uploader.memberships.get().role == "uploader"


def test_role_is_changed(signed_in, manager, uploader):
    membership = uploader.memberships.get()

    signed_in(manager).post(f"/organisations/north/members/{membership.pk}/role/", {"role": "manager"})

    assert uploader.memberships.get().role == "manager"
    assert Decision.objects.get().before == {"role": "uploader"}


def test_role_changed_meanwhile_is_not_overwritten(manager, uploader):
    seen = uploader.memberships.get()
    members.change_role(membership=uploader.memberships.get(), role="manager", by=manager)
    Membership.objects.filter(pk=seen.pk).delete()

    with pytest.raises(StateChanged):
        members.change_role(membership=seen, role="manager", by=manager)


def test_removal_asks_first_and_revokes_tokens(signed_in, manager, uploader, organisation):
    tokens.make(user=uploader, organisation=organisation, role="uploader", title="t", by=uploader)
    url = f"/organisations/north/members/{uploader.memberships.get().pk}/removal/"
    client = signed_in(manager)

    assert "Remove uploader?" in client.get(url).content.decode()
    assert Membership.objects.filter(user=uploader).exists()
    client.post(url)

    assert not Membership.objects.filter(user=uploader).exists()
    assert ApiToken.objects.get().revoked_by == manager


def test_last_manager_stays(signed_in, manager):
    answer = signed_in(manager).post(
        f"/organisations/north/members/{manager.memberships.get().pk}/removal/", follow=False
    )

    assert manager.memberships.exists()
    assert "last manager" in str(next(iter(get_messages(answer.wsgi_request))))


def test_operator_may_remove_even_the_last_manager(signed_in, manager, operator):
    signed_in(operator).post(f"/organisations/north/members/{manager.memberships.get().pk}/removal/")

    assert not manager.memberships.exists()


def test_operator_chooses_among_organisations(signed_in, operator, manager, stranger):
    page = signed_in(operator).get("/members/").content.decode()

    assert "/members/?organisation=north" in page
    assert "/members/?organisation=south" in page


def test_another_tenant_is_not_found(signed_in, manager, stranger, uploader):
    client = signed_in(stranger)
    member = uploader.memberships.get().pk

    assert client.get("/members/?organisation=north").status_code == 404
    assert client.post("/organisations/north/members/", {"who": "x"}).status_code == 404
    assert client.post(f"/organisations/south/members/{member}/removal/").status_code == 404
    assert uploader.memberships.exists()


def test_uploader_may_not_manage(signed_in, uploader):
    client = signed_in(uploader)

    assert client.get("/members/").status_code == 403
    assert client.post("/organisations/north/members/", {"who": "x"}).status_code == 403
