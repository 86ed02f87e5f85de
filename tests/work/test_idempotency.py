import threading
import uuid

import pytest
from django.db import connections

from tests.factories import OrganisationFactory
from work import idempotency
from work.models import IdempotencyKey
from work.problems import Problem


def ask(organisation, key="k", actor="user:1 uploads", fingerprint="f", make=uuid.uuid4):
    return idempotency.once(
        organisation=organisation, actor=actor, key=key, fingerprint=fingerprint, make=make
    )


def test_repeated_key_gets_the_first_subject(db):
    organisation = OrganisationFactory()

    first, already = ask(organisation)

    assert not already
    assert ask(organisation) == (first, True)


def test_key_is_that_of_its_actor_and_organisation(db):
    organisation = OrganisationFactory()
    first, _ = ask(organisation)

    assert ask(organisation, actor="user:2 uploads")[0] != first
    assert ask(OrganisationFactory())[0] != first


def test_other_content_under_the_same_key_is_refused(db):
    organisation = OrganisationFactory()
    first, _ = ask(organisation)

    with pytest.raises(Problem) as refused:
        ask(organisation, fingerprint="other")

    assert (refused.value.status, refused.value.code) == (422, "idempotency_key_reused")
    assert refused.value.extra == {"first_id": str(first)}


def test_without_a_key_each_request_makes_anew(db):
    organisation = OrganisationFactory()

    assert ask(organisation, key="")[0] != ask(organisation, key="")[0]
    assert not IdempotencyKey.objects.exists()


def test_failed_request_leaves_no_key(db):
    organisation = OrganisationFactory()

    with pytest.raises(ZeroDivisionError):
        ask(organisation, make=lambda: 1 / 0)

    assert ask(organisation)[1] is False


@pytest.mark.parametrize("key", ["k" * 201, "a\x00b", "a\nb"])
def test_malformed_key_is_refused(db, key):
    with pytest.raises(Problem) as refused:
        ask(OrganisationFactory(), key=key)

    assert refused.value.code == "idempotency_key_malformed"


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_requests_one_makes_and_all_get_its_subject():
    organisation = OrganisationFactory()
    barrier, made, answers = threading.Barrier(6), [], []

    def make():
        made.append(uuid.uuid4())
        return made[-1]

    def request():
        barrier.wait()
        answers.append(ask(organisation, make=make))
        connections.close_all()

    threads = [threading.Thread(target=request) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 1
    assert {subject for subject, _ in answers} == set(made)
    assert sorted(already for _, already in answers) == [False] + [True] * 5


def test_fingerprint_keeps_parts_apart():
    assert idempotency.fingerprint("a", "bc") != idempotency.fingerprint("ab", "c")
    assert idempotency.fingerprint("a", 1) == idempotency.fingerprint("a", "1")
