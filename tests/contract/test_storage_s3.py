"""What only S3 has: conditions, parts, sums, encryption, addresses for browsers; what goes wrong there."""

import hashlib
import io
import logging
import os
import subprocess
import sys
import threading
import urllib.request

import pytest
from django.conf import settings

from tests.contract.conftest import CREDENTIALS
from tests.contract.s3_server import cuts_the_body, emptied, other_bytes, refuses, silent
from work.storage import FileDamaged, FileMissing, StorageUnavailable

CONTENT = b"id,amount\n1,2\n"
LARGE = bytes(range(256)) * 50_000  # 12.8 MB: three parts


def put(files, content=CONTENT):
    return files.put(io.BytesIO(content), organisation_slug="one", limit=len(content)).key


def asked(way, method):
    return [headers for each, _, headers, _ in way.asked if each == method]


def test_original_is_written_under_a_condition_with_its_sum(s3, way):
    put(s3(endpoint_url=way.address))

    (headers,) = asked(way, "PUT")
    assert headers["If-None-Match"] == "*"
    assert headers["x-amz-checksum-sha256"]
    assert headers["x-amz-meta-sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_store_without_checksums_gets_a_signed_body_instead(s3, way):
    put(s3(endpoint_url=way.address, checksums=False))

    (headers,) = asked(way, "PUT")
    assert headers["X-Amz-Content-SHA256"] == hashlib.sha256(CONTENT).hexdigest()
    assert not any(name.lower().startswith("x-amz-checksum") for name in headers)


def test_large_original_goes_in_parts_of_bounded_size(s3, way):
    files = s3(endpoint_url=way.address)

    key = put(files, LARGE)

    sizes = [size for method, _, _, size in way.asked if method == "PUT"]
    assert len(sizes) == 3
    assert max(sizes) == files.options.part_bytes
    last = asked(way, "POST")[-1]
    assert last["If-None-Match"] == "*"
    with files.open(key) as file:
        assert file.read() == LARGE


def test_large_original_that_is_there_is_not_sent_again(s3, way):
    files = s3(endpoint_url=way.address)
    put(files, LARGE)
    way.asked.clear()

    put(files, LARGE)

    assert [method for method, *_ in way.asked] == ["HEAD"]


def test_parts_of_a_broken_off_original_are_taken_back(s3, way):
    files = s3(endpoint_url=way.address)
    way.faults.append(("PUT", refuses(403, "AccessDenied"), 9))

    with pytest.raises(StorageUnavailable):
        put(files, LARGE)

    assert "Uploads" not in files.client.list_multipart_uploads(Bucket=files.bucket)
    assert list(files.keys("")) == []


def test_two_writers_of_one_large_original_keep_one_whole_file(s3):
    files, barrier, kept = s3(), threading.Barrier(3), []

    def write():
        barrier.wait()
        kept.append(put(files, LARGE))

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(kept) == 3
    assert list(files.keys("")) == [kept[0]]
    with files.open(kept[0]) as file:
        assert file.read() == LARGE


def test_store_without_conditional_writes_takes_the_same_bytes_again(s3, way):
    files = s3(endpoint_url=way.address)
    way.faults.append(("PUT", refuses(501, "NotImplemented"), 1))

    key = put(files)

    assert ["If-None-Match" in headers for headers in asked(way, "PUT")] == [True, False]
    assert files.exists(key)


def test_key_that_another_writes_just_now_is_tried_again(s3, way):
    files = s3(endpoint_url=way.address)
    way.faults.append(("PUT", refuses(409, "ConditionalRequestConflict"), 2))

    assert files.exists(put(files))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"encryption": "AES256"}, ("AES256", None)),
        ({"encryption": "aws:kms", "kms_key_id": "key-1"}, ("aws:kms", "key-1")),
    ],
)
def test_encryption_is_asked_of_originals_and_reports(s3, way, tmp_path, options, told):
    files, path = s3(endpoint_url=way.address, **options), tmp_path / "r.csv"
    path.write_bytes(b"x")

    put(files)
    put(files, LARGE)
    files.put_file("one/reports/r.csv", path)

    begins = [
        headers for method, address, headers, _ in way.asked
        if (method == "PUT" and "partNumber" not in address) or address.endswith("?uploads")
    ]  # fmt: skip
    names = ("x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id")
    assert [tuple(headers.get(name) for name in names) for headers in begins] == [told] * 3


def test_presigned_address_gives_an_attachment_of_the_right_type(s3):
    files = s3()
    key = put(files)

    url = files.presigned(key, filename='März "1".csv', content_type="text/csv; charset=utf-8")

    with urllib.request.urlopen(url) as answer:  # noqa: S310 (an address of our own server)
        assert answer.read() == CONTENT
        assert answer.headers["Content-Disposition"] == (
            "attachment; filename=\"M_rz _1_.csv\"; filename*=UTF-8''M%C3%A4rz%20%221%22.csv"
        )
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "X-Amz-Algorithm=AWS4-HMAC-SHA256" in url
    assert "X-Amz-Expires=300" in url
    assert CREDENTIALS["SECRET_ACCESS_KEY"] not in url


def test_presigned_address_is_where_browsers_reach_the_store(s3):
    files = s3(public_endpoint_url="https://files.example.org")

    assert files.presigned("one/x", filename="x", content_type="text/csv").startswith(
        "https://files.example.org/"
    )


def test_bytes_that_changed_in_the_store_are_found(s3):
    files = s3()
    key = put(files)
    files.client.put_object(Bucket=files.bucket, Key=key, Body=b"something else")

    with pytest.raises(FileDamaged):
        files.open(key)


@pytest.mark.parametrize("checksums", [True, False])
def test_bytes_that_changed_on_their_way_are_found(s3, way, checksums):
    files = s3(endpoint_url=way.address, checksums=checksums)
    key = put(files)
    way.faults.append(("GET", other_bytes, 1))

    with pytest.raises(FileDamaged):
        files.open(key)


def test_body_that_is_cut_off_is_no_file(s3, way, settings):
    files = s3(endpoint_url=way.address)
    key = put(files, LARGE)
    way.faults.append(("GET", cuts_the_body, 9))

    with pytest.raises(StorageUnavailable) as told:
        files.open(key)

    assert told.value.reason == "broken_off"
    assert list((settings.VAR_DIR / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (503, "SlowDown", "busy"),
        (500, "InternalError", "failing"),
        (403, "AccessDenied", "access_denied"),
        (403, "InvalidAccessKeyId", "access_denied"),
        (403, "SignatureDoesNotMatch", "access_denied"),
        (404, "NoSuchBucket", "no_bucket"),
        (400, "AuthorizationHeaderMalformed", "wrong_region"),
        (400, "RequestTimeout", "timed_out"),
        (400, "BadDigest", "broken_off"),
        (400, "InvalidRequest", "refused"),
        (507, "XMinioStorageFull", "full"),
    ],
)
def test_what_the_store_says_has_a_word(s3, way, status, code, reason):
    files = s3(endpoint_url=way.address)
    way.faults.append(("PUT", refuses(status, code), 99))

    with pytest.raises(StorageUnavailable) as told:
        put(files)

    assert (told.value.code, told.value.detail) == ("storage_unavailable", {"reason": reason, "said": code})
    assert len(asked(way, "PUT")) <= 3


def test_store_that_is_busy_for_a_moment_is_asked_again(s3, way):
    files = s3(endpoint_url=way.address)
    way.faults.append(("PUT", refuses(503, "SlowDown"), 2))

    assert files.exists(put(files))


def test_store_that_is_silent_is_given_up_in_bounded_time(s3, way):
    files = s3(endpoint_url=way.address, read_seconds=0.2)
    way.faults.append(("HEAD", silent(0.5), 9))

    with pytest.raises(StorageUnavailable) as told:
        files.size("one/x")

    assert told.value.reason == "timed_out"
    assert len(way.asked) == 3


def test_store_that_is_away(s3):
    files = s3(endpoint_url="http://127.0.0.1:9")

    for ask in (lambda: put(files), lambda: files.size("one/x"), lambda: list(files.keys("")), files.look):
        with pytest.raises(StorageUnavailable) as told:
            ask()
        assert told.value.reason == "unreachable"


def test_bucket_that_is_not_there(s3):
    files = s3("elsewhere")

    for ask in (lambda: put(files), lambda: list(files.keys("")), files.look):
        with pytest.raises(StorageUnavailable) as told:
            ask()
        assert told.value.reason == "no_bucket"


def test_credentials_that_are_not_there(s3, monkeypatch, tmp_path):
    for name in CREDENTIALS:
        monkeypatch.delenv(f"AWS_{name}")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))

    with pytest.raises(StorageUnavailable) as told:
        s3().look()

    assert told.value.reason == "no_credentials"


def test_store_whose_certificate_is_not_trusted(s3, way):
    """TLS is spoken to a server that speaks none: the handshake fails as it does for a bad certificate."""
    with pytest.raises(StorageUnavailable) as told:
        s3(endpoint_url=way.address.replace("http:", "https:")).look()

    assert told.value.reason == "not_trusted"


def test_credentials_are_in_no_log(s3, way, caplog, monkeypatch):
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token-not-to-be-told")
    way.faults.append(("PUT", refuses(403, "AccessDenied"), 1))
    caplog.set_level(logging.DEBUG)

    files = s3(endpoint_url=way.address)
    with pytest.raises(StorageUnavailable) as told:
        put(files)

    said = caplog.text + str(told.value) + repr(told.value.__dict__)
    for secret in ("not-to-be-told", "AKIATEST", "Signature="):
        assert secret not in said


@pytest.mark.slow
def test_memory_stays_the_same_however_large_the_file_is(s3, moto_server, tmp_path):
    """A process of its own, since moto holds its objects in ours."""
    s3()
    grown = {}
    for megabytes in (20, 80):
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, moto_server, str(megabytes)], cwd=settings.BASE_DIR, check=True,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "VAR_DIR": str(tmp_path)},
            capture_output=True, text=True,
        )  # fmt: skip
        grown[megabytes] = int(done.stdout)

    assert grown[80] < grown[20] + 8 * 1024, f"kilobytes by megabytes sent: {grown}"


# The peak of a process that puts a file of so many megabytes and opens it again, in kilobytes.
MEASURE = """
import sys
import django
django.setup()
from work.storage_s3 import Options, S3Files

class Megabytes:
    def __init__(self, number):
        self.left = number
    def read(self, size):
        self.left -= 1
        return bytes([self.left]) * (1 << 20) if self.left >= 0 else b""

options = Options(endpoint_url=sys.argv[1], region="us-east-1", one_request_bytes=5 << 20, part_bytes=5 << 20)
files = S3Files("waybill", options)
key = files.put(Megabytes(int(sys.argv[2])), organisation_slug="one", limit=1 << 30).key
with files.open(key) as file:
    assert file.seek(0, 2) == int(sys.argv[2]) << 20
with open("/proc/self/status") as status:
    print(*(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def test_missing_file_in_an_emptied_bucket(s3, moto_server):
    files = s3()
    key = put(files)
    emptied(moto_server)

    with pytest.raises(FileMissing):
        files.open(key)
