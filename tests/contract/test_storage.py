"""What every storage promises, run against the folder and against S3 over HTTP."""

import hashlib
import io
import random
import threading

import pytest

from work.storage import FileMissing, FileTooLarge, report_key

CONTENT = b"id,amount\n1,2\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def put(storage, content=CONTENT, *, organisation_slug="one", limit=1000):
    return storage.put(io.BytesIO(content), organisation_slug=organisation_slug, limit=limit)


def read(storage, key):
    with storage.open(key) as file:
        return file.read()


def test_put_names_the_file_by_its_content(storage):
    stored = put(storage)

    assert (stored.key, stored.sha256, stored.size) == (f"one/{SHA256}", SHA256, len(CONTENT))
    assert read(storage, stored.key) == CONTENT
    assert storage.exists(stored.key)
    assert storage.size(stored.key) == len(CONTENT)


def test_put_twice_is_one_file(storage):
    assert put(storage) == put(storage)
    assert list(storage.keys("one/")) == [f"one/{SHA256}"]


def test_put_from_two_sides_at_once_keeps_one_whole_file(storage):
    content, barrier, kept = b"x" * 3_000_000, threading.Barrier(4), []

    def write():
        barrier.wait()
        kept.append(put(storage, content, limit=len(content)))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(kept) == 4
    assert len(set(kept)) == 1
    assert read(storage, kept[0].key) == content


def test_put_keeps_tenants_apart(storage):
    assert put(storage).key != put(storage, organisation_slug="two").key


def test_put_past_the_limit_keeps_nothing(storage):
    with pytest.raises(FileTooLarge):
        put(storage, limit=len(CONTENT) - 1)

    assert list(storage.keys("")) == []


def test_put_never_changes_what_is_there(storage, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"something else")
    storage.put_file(f"one/{SHA256}", other)

    put(storage)

    assert storage.size(f"one/{SHA256}") == len(b"something else")


def test_open_gives_a_real_file_at_its_start(storage):
    with storage.open(put(storage).key) as file:
        assert file.fileno() > 2
        assert file.tell() == 0


@pytest.mark.parametrize("ask", ["open", "size"])
def test_missing_file_is_named(storage, ask):
    with pytest.raises(FileMissing, match="one/missing"):
        getattr(storage, ask)("one/missing")

    assert not storage.exists("one/missing")


def test_file_of_several_parts_comes_back_byte_for_byte(storage):
    content = random.Random(1).randbytes(12_345_678)

    first, second = (put(storage, content, limit=len(content)) for _ in range(2))

    assert first == second
    assert read(storage, first.key) == content
    assert storage.size(first.key) == len(content)


def test_report_of_several_parts_comes_back_byte_for_byte(storage, tmp_path):
    path, key = tmp_path / "r.csv", report_key("one", "r.csv")
    path.write_bytes(random.Random(2).randbytes(11_000_000))

    storage.put_file(key, path)

    assert read(storage, key) == path.read_bytes()


def test_empty_stream_is_a_file_too(storage):
    assert read(storage, put(storage, b"").key) == b""


def test_storage_that_is_well_says_nothing(storage):
    storage.look()


def test_open_file_outlives_nothing_on_this_machine(storage, settings):
    """Whatever lies in the folder for temporary files is gone with the descriptor."""
    with storage.open(put(storage).key) as file:
        file.read()

    left = settings.VAR_DIR / "tmp"
    assert not left.exists() or list(left.iterdir()) == []


def test_put_file_replaces_a_report_whole(storage, tmp_path):
    key, path = report_key("one", "r.csv"), tmp_path / "r.csv"
    for content in (b"a long first report", b"short"):
        path.write_bytes(content)
        storage.put_file(key, path)

    assert read(storage, key) == b"short"


def test_delete_takes_reports_only(storage, tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"report")
    storage.put_file(report_key("one", "r.csv"), path)
    original = put(storage).key

    storage.delete(report_key("one", "r.csv"))
    storage.delete(report_key("one", "r.csv"))
    with pytest.raises(ValueError, match="only reports"):
        storage.delete(original)

    assert list(storage.keys("one/")) == [original]


@pytest.mark.parametrize(
    "key", ["../secret", "one/../two", "/etc/passwd", "one/", "one", "one/a\nb", "one/.x"]
)
def test_key_that_leaves_the_storage_is_refused(storage, key):
    with pytest.raises(ValueError, match="not a storage key"):
        storage.exists(key)
