import io

import pytest
from django.test import RequestFactory

from work import downloads, storage

# Closing an answer looks after the connections that earlier tests have opened.
pytestmark = pytest.mark.django_db

CONTENT = bytes(range(100))


@pytest.fixture
def key(settings, tmp_path):
    settings.FILES_DIR = tmp_path
    storage.files.cache_clear()
    yield storage.files().put(io.BytesIO(CONTENT), organisation_slug="one", limit=100).key
    storage.files.cache_clear()


@pytest.fixture
def serve(key):
    def ask(method="get", filename="März 1.csv", **headers):
        request = getattr(RequestFactory(), method)(
            "/", headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        return downloads.serve(request, key=key, filename=filename, content_type="text/csv", sha256="abc")

    return ask


def body(answer):
    content = b"".join(answer)
    answer.close()
    return content


def test_whole_file_is_an_attachment_that_no_browser_guesses_about(serve):
    answer = serve()

    assert body(answer) == CONTENT
    assert (
        answer["Content-Disposition"]
        == "attachment; filename=\"M_rz 1.csv\"; filename*=UTF-8''M%C3%A4rz%201.csv"
    )
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["ETag"] == '"abc"'
    assert answer["Content-Length"] == "100"


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=10-19", 10, 19),
        ("bytes=90-", 90, 99),
        ("bytes=-5", 95, 99),
        ("bytes=50-500", 50, 99),
        ("bytes=0-0", 0, 0),
    ],
)
def test_one_range_is_sent(serve, asked, start, end):
    answer = serve(Range=asked)

    assert body(answer) == CONTENT[start : end + 1]
    assert answer.status_code == 206
    assert answer["Content-Range"] == f"bytes {start}-{end}/100"
    assert answer["Content-Length"] == str(end - start + 1)


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=200-300", "bytes=-0"])
def test_range_past_the_end_is_416(serve, asked):
    answer = serve(Range=asked)

    assert answer.status_code == 416
    assert answer["Content-Range"] == "bytes */100"


@pytest.mark.parametrize("asked", ["bytes=1-2,4-5", "bytes=9-3", "bytes=-", "lines=1-2", "bytes=a-b"])
def test_other_ranges_give_the_whole_file(serve, asked):
    answer = serve(Range=asked)

    assert answer.status_code == 200
    assert body(answer) == CONTENT


def test_range_of_another_version_gives_the_whole_file(serve):
    assert body(serve(Range="bytes=0-1", If_Range='"abc"')) == CONTENT[:2]
    assert body(serve(Range="bytes=0-1", If_Range='"old"')) == CONTENT


@pytest.mark.parametrize("tags", ['"abc"', 'W/"abc"', '"x", "abc"', "*"])
def test_known_file_is_not_sent_again(serve, tags):
    answer = serve(If_None_Match=tags)

    assert answer.status_code == 304
    assert answer.content == b""


@pytest.mark.parametrize("filename", ['a".csv', "a\r\nX-Evil: 1.csv", "a/b;c.csv"])
def test_file_name_cannot_leave_its_header(filename):
    disposition = downloads.disposition(filename)

    assert "\n" not in disposition
    assert disposition.count('"') == 2
