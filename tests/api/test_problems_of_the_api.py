import pytest


def test_unknown_address_is_a_problem(client, bearer):
    answer = client.get("/api/v1/nowhere", headers=bearer)

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch", "options", "trace"])
def test_other_method_is_refused_with_what_is_allowed(client, bearer, method):
    answer = client.generic(method.upper(), "/api/v1/me", headers=bearer)

    assert answer.status_code == 405
    assert answer["Allow"] == "GET"
    assert answer.json()["code"] == "method_not_allowed"


def test_document_declares_problems_as_such(client):
    document = client.get("/api/v1/openapi.json").json()

    for path, operations in document["paths"].items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                kinds = set(answer.get("content", {}))
                if int(status) >= 400:
                    assert kinds == {"application/problem+json"}, (path, status)


def test_answers_carry_the_correlation_id_of_the_caller(client, bearer):
    answer = client.get("/api/v1/me", headers=bearer | {"X-Correlation-Id": "my-own-id-1"})

    assert answer["X-Correlation-Id"] == "my-own-id-1"
