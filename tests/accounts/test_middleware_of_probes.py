import pytest

pytestmark = pytest.mark.django_db


def test_process_says_that_it_lives_without_asking_the_database(client, manager, django_assert_num_queries):
    """A browser with a session asks it too, and the database may be away."""
    client.force_login(manager)

    with django_assert_num_queries(0):
        answer = client.get("/healthz")

    assert answer.status_code == 200
