import re

from accounts import tokens
from accounts.models import ApiToken


def test_token_is_shown_once_and_works(signed_in, manager):
    client = signed_in(manager)

    answer = client.post(
        "/organisations/north/tokens/", {"title": "nightly", "role": "uploader", "lifetime": "30"}
    )
    secret = re.search(r"wb_[\w-]{43}", answer.content.decode()).group()

    assert "no-store" in answer["Cache-Control"]
    assert tokens.find(secret).expires_at is not None
    assert secret not in client.get("/tokens/").content.decode()


def test_role_above_the_own_one_is_refused(signed_in, manager):
    answer = signed_in(manager).post("/organisations/north/tokens/", {"title": "x", "role": "operator"})

    assert answer.status_code == 422
    assert not ApiToken.objects.exists()


def test_token_is_revoked_after_a_question(signed_in, manager, organisation):
    token, secret = tokens.make(
        user=manager, organisation=organisation, role="manager", title="nightly", by=manager
    )
    url = f"/organisations/north/tokens/{token.pk}/revocation/"
    client = signed_in(manager)

    assert "Revoke the token nightly?" in client.get(url).content.decode()
    assert tokens.find(secret) is not None
    client.post(url)

    assert tokens.find(secret) is None
    assert "revoked" in client.get("/tokens/").content.decode()


def test_token_of_another_tenant_is_not_found(signed_in, manager, organisation, stranger):
    token, secret = tokens.make(
        user=manager, organisation=organisation, role="manager", title="nightly", by=manager
    )
    client = signed_in(stranger)

    assert client.post(f"/organisations/north/tokens/{token.pk}/revocation/").status_code == 404
    assert client.post(f"/organisations/south/tokens/{token.pk}/revocation/").status_code == 404
    assert tokens.find(secret) is not None
