import io

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


@pytest.mark.parametrize("charset", ["rot13", "base64", "idna", "undefined", "utf-16", "klingon"])
@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=B", "application/json"])
def test_other_charset_than_utf8_is_refused(client, bearer, kind, charset):
    body = b'--B\r\nContent-Disposition: form-data; name="dataset"\r\n\r\nx\r\n--B--\r\n'
    answer = client.generic(
        "POST", "/api/v1/uploads", body, content_type=f"{kind}; charset={charset}", headers=bearer
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "charset_not_supported")


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 300],
)
def test_multipart_without_a_boundary_is_a_problem(client, bearer, kind):
    answer = client.post("/api/v1/uploads", b"--B\r\n", content_type=kind, headers=bearer)

    assert (answer.status_code, answer.json()["code"]) == (400, "request_not_readable")


def test_key_of_other_letters_is_refused_rather_than_overlooked(client, bearer):
    headers = bearer | {"Idempotency-Key": "\u00e9"}
    answer = client.post("/api/v1/uploads", {"dataset": "x"}, headers=headers)

    assert "header.Idempotency-Key" in [error["at"] for error in answer.json()["errors"]]


def test_multipart_that_ends_early_is_a_problem(client, bearer):
    body = b'--B\r\nContent-Disposition: form-data; name="dataset"\r\n\r\nstat'
    answer = client.post(
        "/api/v1/uploads", body, content_type="multipart/form-data; boundary=B", headers=bearer
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "request_not_valid")


def test_json_that_is_too_large_is_read_to_its_end_and_refused(client, bearer):
    body = io.BytesIO(b'{"slug": "' + b"a" * 5_000_000)
    answer = client.generic(
        "POST", "/api/v1/datasets", content_type="application/json", headers=bearer,
        **{"wsgi.input": body, "CONTENT_LENGTH": len(body.getvalue())},
    )  # fmt: skip

    assert (answer.status_code, answer.json()["code"]) == (413, "request_too_large")
    assert body.read() == b""
