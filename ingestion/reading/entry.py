"""The child's whole life: limits, what the file is, its rows, and one last frame that says how it ended."""

import json
import os
from typing import Any, BinaryIO

from .delimited import read_delimited
from .failures import Refused
from .kinds import HEAD_BYTES, Kind, sniff
from .limits import MEMORY_BYTES, SPILL_BYTES, confine
from .office import read_package
from .opening import Looking
from .wire import FrameWriter
from .xls import read_compound, read_xls


def main(argument: str) -> int:
    """`argument` is the number of the descriptor that holds the options."""
    with os.fdopen(int(argument), "rb") as told:
        options = json.load(told)
    confine(
        cpu_seconds=options.get("cpu_seconds", 60),
        memory_bytes=options.get("memory_bytes", MEMORY_BYTES),
        parent=options.get("parent", 0),
    )
    with os.fdopen(0, "rb", closefd=False) as file, os.fdopen(1, "wb", closefd=False) as out:
        writer = FrameWriter(out, total=os.fstat(0).st_size)
        try:
            writer.end(read_file(file, writer, options))
        except Refused as refused:
            writer.failure(refused.code, refused.detail)
        except UnicodeDecodeError:
            writer.failure("damaged_file", {"reason": "a part of it is not in UTF-8"})
        except (MemoryError, RecursionError):
            writer.failure("file_exceeds_limits", {"limit": "memory"})
        except BrokenPipeError:
            return 1
    return 0


def read_file(file: BinaryIO, writer: FrameWriter, options: dict[str, Any]) -> dict[str, Any]:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    kind = sniff(head)
    looking, spill_bytes = Looking.of(options), options.get("spill_bytes", SPILL_BYTES)
    if kind in (Kind.ZIP, Kind.ODS):
        return read_package(file, writer, looking, spill_bytes=spill_bytes)
    if kind == Kind.COMPOUND:
        return read_compound(file, writer, looking, spill_bytes=spill_bytes)
    if kind == Kind.XLS:
        file.seek(0)
        return read_xls(file.read(), writer, looking, spill_bytes=spill_bytes)
    if kind == Kind.TEXT:
        return read_delimited(
            file,
            writer,
            looking,
            encoding=options.get("encoding", "cp1252"),
            delimiter=options.get("delimiter"),
        )
    raise Refused("empty_file" if kind == Kind.EMPTY else f"format_{kind}")
