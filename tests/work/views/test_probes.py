import uuid

import pytest
from django.db.models.functions import Now
from django.test import Client

from work import probes
from work.models import Canary, Worker

pytestmark = pytest.mark.django_db


def test_healthz_looks_at_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert "no-cache" in answer["Cache-Control"]


def test_readyz_is_200_without_workers(client):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["parts"]["pipelines"] == "silent"


def test_readyz_is_503_without_storage(client, monkeypatch):
    def away():
        raise OSError("no disk")

    monkeypatch.setattr(probes, "_ask_storage", away)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")


def test_healthz_workers_fails_without_workers_and_passes_with_them(client):
    without = client.get("/healthz/workers").status_code
    for cluster in ("ground", "pipelines"):
        Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label="host:1")
        Canary.objects.create(cluster=cluster, passed_at=Now())

    assert (without, client.get("/healthz/workers").status_code) == (503, 200)


def test_metrics_are_for_this_machine_when_no_token_is_set(client, settings):
    settings.METRICS_TOKEN = ""

    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 401
    assert client.get("/metrics", HTTP_X_FORWARDED_FOR="192.0.2.7").status_code == 401


def test_metrics_need_the_token_when_one_is_set(client, settings):
    settings.METRICS_TOKEN = "a-secret"

    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer wrong").status_code == 401
    right = client.get("/metrics", HTTP_AUTHORIZATION="Bearer a-secret", REMOTE_ADDR="192.0.2.7")
    assert right.status_code == 200
    assert right["Content-Type"].startswith("text/plain; version=0.0.4")


def test_metrics_are_open_to_operators_and_not_to_members(operator, member, settings):
    settings.METRICS_TOKEN = "a-secret"
    statuses = []
    for user in (operator, member):
        browser = Client()
        browser.force_login(user)
        statuses.append(browser.get("/metrics").status_code)

    assert statuses == [200, 401]
