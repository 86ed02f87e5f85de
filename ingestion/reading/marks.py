"""How our own columns in files of rows to mend are headed. Pure: the reader's child imports it too."""

import re

OURS = re.compile(r"\[waybill(?: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\]\s*$", re.I)


def names_an_upload(heading: str) -> bool:
    """Whether it is the heading of our row numbers, which nobody writes by chance."""
    found = OURS.search(heading)
    return found is not None and found[1] is not None
