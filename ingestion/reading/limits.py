"""The limits of one reading, with their reasons. The child sets the hard ones on itself."""

import ctypes
import os
import resource
import signal

MEMORY_BYTES = 1 << 30
# All parts of a package together, declared and real: the largest honest sheet seen (1,048,576 x 12)
# is about 650 MB of XML.
PACKAGE_BYTES = 800_000_000
PACKAGE_PARTS = 5_000
# 60 bytes is the shortest honest directory entry; names of up to 1.5 kB are allowed for.
DIRECTORY_BYTES = 8_000_000
SMALL_PART_BYTES = 64_000_000
GRID_ROWS = 1_048_576
GRID_COLUMNS = 16_384
# Cells sent, blanks inside a row included: 1,048,576 rows of 30 columns.
SENT_CELLS = 32_000_000
# Blank texts among the shared ones: each is four bytes of markup and costs as much as a real one.
BLANK_STRINGS = 1_000_000
# A cell of a spreadsheet program holds 32,767 characters at most; CSV fields may be longer.
CELL_CHARACTERS = 1_000_000
# One XML token or one row of XML; expat scans an unfinished token again with every block.
TOKEN_BYTES = 8_000_000
# Of what no program writes much of, and what takes as long as cells do: comments and instructions, and text
# without one element; lines without any; elements that mean nothing here.
BARREN_BYTES = 16_000_000
BARREN_LINES = 4_000_000
BARREN_ELEMENTS = 1_000_000
BATCH_ROWS = 500
BATCH_BYTES = 1_000_000
FRAME_BYTES = 16_000_000
BLOCK_BYTES = 1 << 18
SPILL_BYTES = 64_000_000

PR_SET_PDEATHSIG = 1


def confine(*, cpu_seconds: int, memory_bytes: int, parent: int) -> None:
    """Put the limits on this process. Cannot be undone; end at once when the parent is already gone."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (PACKAGE_BYTES, PACKAGE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 2))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    die_with_parent()
    if parent and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def die_with_parent() -> None:
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (AttributeError, OSError):
        # Only Linux has it; elsewhere the broken pipe ends the child at its next frame.
        return
