import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from ingestion.reading import reader as reader_module
from ingestion.reading.failures import SENTENCES, ReaderCrashed, ReaderKilled, ReadingStopped, UnreadableFile
from ingestion.reading.reader import PARSER_VERSION, ReadOptions, open_reader

ROWS = 200_000


@pytest.fixture(scope="module")
def large_file():
    with tempfile.TemporaryFile() as file:
        file.write(b"id,name,note\n")
        file.writelines(b"%d,name %d,some more text to fill the line\n" % (n, n) for n in range(ROWS))
        file.flush()
        yield file


def test_rows_come_in_batches_with_progress(large_file):
    with open_reader(large_file) as reader:
        assert reader.header.cells == ["id", "name", "note"]
        frames = list(reader)

    assert all(len(frame.rows) <= 500 for frame in frames)
    assert sum(len(frame.rows) for frame in frames) == reader.rows_read == reader.end.rows == ROWS
    done = [frame.done for frame in frames]
    assert done == sorted(done)
    assert 0 < done[len(done) // 2] < frames[0].total
    assert reader.end.format == "csv"
    assert PARSER_VERSION


def test_reader_stops_when_it_is_killed_from_another_thread(large_file):
    with open_reader(large_file) as reader:
        frames = iter(reader)
        next(frames)
        killer = threading.Thread(target=reader.kill)
        killer.start()
        killer.join()
        with pytest.raises(ReadingStopped):
            list(frames)
        reader.kill()

    assert reader.process.returncode == -signal.SIGKILL


def test_leaving_early_ends_the_child(large_file):
    with open_reader(large_file) as reader:
        next(iter(reader))
        pid = reader.process.pid

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_child_that_somebody_kills_says_nothing_about_the_file(large_file):
    with open_reader(large_file) as reader:
        frames = iter(reader)
        next(frames)
        reader.process.send_signal(signal.SIGKILL)
        with pytest.raises(ReaderKilled, match="SIGKILL"):
            list(frames)


@pytest.mark.parametrize("sent", [signal.SIGABRT, signal.SIGXCPU, signal.SIGSEGV])
def test_child_that_dies_by_a_signal_means_that_the_file_is_too_much(large_file, sent):
    with open_reader(large_file) as reader:
        frames = iter(reader)
        next(frames)
        reader.process.send_signal(sent)
        with pytest.raises(UnreadableFile) as caught:
            list(frames)

    assert caught.value.code == "file_exceeds_limits"
    assert caught.value.detail["signal"] == sent.name


def test_time_limit_ends_the_reading(large_file):
    options = ReadOptions(wall_seconds=0.0)
    with open_reader(large_file, options=options) as reader, pytest.raises(UnreadableFile) as caught:
        list(reader)

    assert (caught.value.code, caught.value.detail) == ("file_exceeds_limits", {"limit": "time"})


def test_processor_limit_ends_the_reading(large_file):
    options = ReadOptions(cpu_seconds=0)
    with open_reader(large_file, options=options) as reader, pytest.raises(UnreadableFile) as caught:
        list(reader)

    assert caught.value.code == "file_exceeds_limits"


def test_memory_limit_ends_the_reading():
    with tempfile.TemporaryFile() as file:
        # Four bytes a character, and a record is kept whole.
        file.write(b"a,b\n" + ",".join(["😀" * 950_000] * 8).encode() + b"\n")
        file.flush()
        options = ReadOptions(memory_bytes=50_000_000)
        with open_reader(file, options=options) as reader, pytest.raises(UnreadableFile) as caught:
            list(reader)

    assert caught.value.code == "file_exceeds_limits"


def test_child_that_breaks_is_no_fault_of_the_file(large_file, monkeypatch, tmp_path):
    script = tmp_path / "child.py"
    script.write_text("raise RuntimeError('a bug of ours')\n")
    monkeypatch.setattr(reader_module, "CHILD", script)

    with open_reader(large_file) as reader, pytest.raises(ReaderCrashed, match="a bug of ours"):
        list(reader)


def test_child_imports_nothing_of_the_project_or_its_packages():
    show = (
        "import runpy, sys; sys.argv = ['child', 'no JSON']\ntry: runpy.run_path({!r}, run_name='__main__')\n"
    )
    code = (show + "except ValueError: print(*sys.modules)").format(str(reader_module.CHILD))

    shown = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)

    modules = set(shown.stdout.split())
    assert "reading.entry" in modules
    assert not {name for name in modules if name.split(".")[0] in ("django", "ingestion", "re2", "psycopg")}


def test_every_failure_has_a_sentence_and_a_remedy():
    for code, (message, remedy) in SENTENCES.items():
        assert message[-1] == ".", code
        assert remedy[-1] == ".", code
        assert "!" not in message + remedy


def test_child_ends_with_the_process_that_started_it(large_file):
    code = (
        "import sys, time\n"
        "from ingestion.reading.reader import open_reader\n"
        "reader = open_reader(sys.stdin.buffer)\n"
        "print(reader.header and reader.process.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=large_file, stdout=subprocess.PIPE, text=True
    )
    child = int(parent.stdout.readline())

    parent.kill()
    parent.wait()
    parent.stdout.close()

    # Its pipe is full and nobody reads it, so only the signal of the kernel can end it so soon.
    deadline = time.monotonic() + 10
    while _is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
