"""The shared strings: one block of JSON texts with their ends; past a limit the block goes to a file."""

import os
import tempfile
from array import array
from itertools import accumulate

from .failures import Refused
from .limits import BLANK_STRINGS, SPILL_BYTES

BLANK = b"null"  # a text without a character is sent as a blank cell


class SharedStrings:
    """Texts by number, each as JSON ready to be sent."""

    def __init__(self, *, spill_bytes: int = SPILL_BYTES) -> None:
        self.spill_bytes = spill_bytes
        self.clear()

    def clear(self) -> None:
        self.block = bytearray()
        self.ends = array("Q", [0])
        self.file = -1
        self.blank = 0

    def __len__(self) -> int:
        return len(self.ends) - 1

    def fragment(self, raw: bytes) -> bytes:
        """The text with the number that a cell gives."""
        try:
            number = int(raw)
            if number < 0:
                raise IndexError
            start, end = self.ends[number], self.ends[number + 1]
        except (ValueError, IndexError) as error:
            raise Refused("damaged_file", reason="a cell points to a text that is not there") from error
        if self.file < 0:
            return bytes(self.block[start:end])
        return os.pread(self.file, end - start, start)

    def fragments(self, raw: list[bytes]) -> list[bytes] | None:
        """Many at once, as long as they are in memory."""
        numbers = list(map(int, raw)) if b"".join(raw).isdigit() else None
        if numbers is None or self.file >= 0 or max(numbers) >= len(self):
            return None
        block, ends = self.block, self.ends
        return [block[ends[number] : ends[number + 1]] for number in numbers]  # type: ignore[misc]

    def extend(self, fragments: list[bytes]) -> None:
        """Raises Refused: programs write a blank text once, if at all, and a bomb hundreds of millions."""
        self.blank += fragments.count(BLANK)
        if self.blank > BLANK_STRINGS:
            raise Refused("file_exceeds_limits", limit="the number of blank texts", most=BLANK_STRINGS)
        # accumulate repeats its start, which is the last end so far.
        self.ends.extend(accumulate(map(len, fragments), initial=self.ends.pop()))
        self.block += b"".join(fragments)
        if len(self.block) > self.spill_bytes or self.file >= 0:
            self._spill()

    def _spill(self) -> None:
        if self.file < 0:
            # Opened without a name: nothing is left behind, however this process ends.
            self.handle = tempfile.TemporaryFile()  # noqa: SIM115  (read until the process ends)
            self.file = self.handle.fileno()
        view = memoryview(bytes(self.block))
        while view:
            view = view[os.write(self.file, view) :]
        self.block = bytearray()
