import pytest
from django.conf import settings

from accounts import tokens
from accounts.models import ApiToken
from tests.factories import MembershipFactory, UserFactory


def test_token_tells_who_it_is(client, bearer):
    answer = client.get("/api/v1/me", headers=bearer)

    assert answer.status_code == 200
    assert answer.json()["organisations"] == [{"slug": "north", "title": "North", "role": "manager"}]
    assert ApiToken.objects.get().last_used_at is not None


@pytest.mark.parametrize("header", ["Bearer wb_unknown", "Bearer ", "Bearer", "Basic bWFqYTp4", "wb_unknown"])
def test_bad_authorization_is_a_problem_even_with_a_session(client, manager, header):
    client.force_login(manager)

    answer = client.get("/api/v1/me", headers={"Authorization": header})

    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_stranger_is_told_to_send_a_token(client, db):
    answer = client.get("/api/v1/me")

    assert (answer.status_code, answer.json()["code"]) == (401, "sign_in_required")


def test_revoked_token_is_refused(client, bearer, manager):
    tokens.revoke(token=ApiToken.objects.get(), by=manager)

    assert client.get("/api/v1/me", headers=bearer).json()["code"] == "token_not_valid"


def test_session_reads(client, manager):
    client.force_login(manager)

    assert client.get("/api/v1/me").json()["label"] == "manager"


def test_token_is_limited_per_minute(client, bearer, monkeypatch):
    monkeypatch.setattr(settings, "API_RATE_PER_MINUTE", 2)
    answers = [client.get("/api/v1/me", headers=bearer) for _ in range(5)]

    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused  # at most one minute may have begun in between
    assert refused[0].json()["code"] == "too_many_requests"
    assert 1 <= int(refused[0]["Retry-After"]) <= 60


def test_limit_of_one_token_is_not_that_of_another(client, bearer, manager, organisation, monkeypatch):
    monkeypatch.setattr(settings, "API_RATE_PER_MINUTE", 2)
    for _ in range(5):
        client.get("/api/v1/me", headers=bearer)
    _, other = tokens.make(user=manager, organisation=organisation, role="manager", title="o", by=manager)

    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {other}"}).status_code == 200


def test_operator_sees_all_organisations_by_session_and_one_by_token(client, organisation):
    operator = UserFactory(operator=True)
    MembershipFactory(organisation__slug="south")
    _, secret = tokens.make(user=operator, organisation=organisation, role="operator", title="o", by=operator)

    by_token = client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).json()
    client.force_login(operator)

    assert [found["slug"] for found in by_token["organisations"]] == ["north"]
    assert [found["slug"] for found in client.get("/api/v1/me").json()["organisations"]] == ["north", "south"]
