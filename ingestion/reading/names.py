"""What the name of a file promises, compared with what the file is."""

from typing import Any

from . import assumptions

# Format of the reader to the extensions that are right for it.
EXTENSIONS = {
    "xlsx": ("xlsx", "xlsm", "xltx", "xltm"),
    "xls": ("xls", "xlt"),
    "xlsb": ("xlsb",),
    "ods": ("ods", "ots"),
    "csv": ("csv", "tsv", "tab", "txt", "text", "asc", "dat", "log"),
}
OTHERS = (
    "pdf",
    "doc",
    "docx",
    "odt",
    "rtf",
    "ppt",
    "pptx",
    "htm",
    "html",
    "mht",
    "xml",
    "json",
    "zip",
    "numbers",
)
KNOWN = frozenset(OTHERS).union(*EXTENSIONS.values())


def assumed(filename: str, file_format: str) -> list[dict[str, Any]]:
    """The assumption that the name is wrong, if it is; names that promise nothing are never wrong."""
    extension = filename.rpartition(".")[2].strip().lower() if "." in filename else ""
    if extension not in KNOWN or extension in EXTENSIONS[file_format]:
        return []
    return [
        assumptions.describe(
            "format_differs_from_name", {"format": file_format, "extension": f".{extension}"}
        )
    ]
