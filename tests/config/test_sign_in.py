import pytest


@pytest.mark.django_db
def test_strangers_cannot_sign_up(client, django_user_model):
    client.post(
        "/accounts/signup/",
        {
            "username": "stranger",
            "email": "s@example.org",
            "password1": "long-enough-9",
            "password2": "long-enough-9",
        },
    )

    assert not django_user_model.objects.filter(username="stranger").exists()
