import pytest

from accounts import tokens
from tests.factories import OrganisationFactory


def test_one_hit_leads_to_the_thing(signed_in, manager):
    assert signed_in(manager).get("/find/?q=nor")["Location"] == "/members/?organisation=north"


def test_several_hits_are_listed(signed_in, operator, organisation):
    OrganisationFactory(slug="north-east", title="North-east")

    page = signed_in(operator).get("/find/?q=nort").content.decode()

    assert "2 things match" in page


def test_whole_name_wins_over_parts(signed_in, operator, organisation):
    OrganisationFactory(slug="north-east", title="North-east")

    assert signed_in(operator).get("/find/?q=north")["Location"] == "/members/?organisation=north"


def test_token_is_found_by_its_id(signed_in, manager, organisation):
    token, _ = tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)

    assert signed_in(manager).get(f"/find/?q={token.pk}")["Location"].endswith(f"#token-{token.pk}")


@pytest.mark.parametrize("who", ["stranger", "uploader"])
def test_what_one_may_not_open_is_not_found(signed_in, organisation, manager, request, who):
    token, _ = tokens.make(user=manager, organisation=organisation, role="manager", title="t", by=manager)
    client = signed_in(request.getfixturevalue(who))

    for text in ("north", token.pk):
        answer = client.get("/find/", {"q": text})
        assert answer.status_code == 200
        assert "Nothing matches" in answer.content.decode()


@pytest.mark.parametrize("text", ["", "n", "%" * 4, "x" * 5000])
def test_odd_texts_find_nothing(signed_in, manager, text):
    assert signed_in(manager).get("/find/", {"q": text}).status_code == 200
