"""Why a whole file cannot be read: the codes, and the sentence and the remedy for each.
The child raises Refused, the parent UnreadableFile; both mean that another try would end the same."""

from typing import Any

SAVE_AS = "Open it in your spreadsheet program and save it as .xlsx or CSV, then upload that file."
AGAIN = "Upload it again: files of this kind are read now."
SPLIT = "Save only the sheet and the rows that belong here as a new .xlsx or CSV file, or split it in two."

# code: (what is the case, what to do); {names} are filled from the detail.
SENTENCES: dict[str, tuple[str, str]] = {
    "empty_file": ("The file is empty.", "Check that it was saved and copied whole, then upload it again."),
    "no_rows": ("The sheet “{sheet}” holds no values.", "Put the data on the first visible sheet."),
    "no_visible_sheet": (
        "The workbook has no visible worksheet.",
        "Unhide the sheet that holds the data and save the file again.",
    ),
    "no_such_sheet": (
        "The workbook has no sheet named “{sheet}”; it has {sheets}.",
        "Name one of these, or name none, so that the sheet is found by its headings.",
    ),
    "no_such_header_row": (
        "Row {row} was said to hold the headings, but it holds no values; the last row looked at is {last}.",
        "Say another row, as the spreadsheet program numbers it, or none, so that it is found.",
    ),
    # Verdicts of the first parser, which did not read these three, stay readable.
    "format_xls": ("This is an Excel 97–2003 workbook (.xls), which was not read at that time.", AGAIN),
    "format_xlsb": ("This is a binary Excel workbook (.xlsb), which was not read at that time.", AGAIN),
    "format_ods": ("This is an OpenDocument spreadsheet (.ods), which was not read at that time.", AGAIN),
    "format_old_excel": ("This is a workbook of Excel 4 or older, which is not read here.", SAVE_AS),
    "format_numbers": (
        "This is a document of Apple Numbers, which is not read here.",
        "Export it from Numbers to Excel or CSV, then upload that file.",
    ),
    "format_encrypted": (
        "The workbook is protected with a password, so it cannot be opened here.",
        "Save a copy without the password and upload the copy.",
    ),
    "format_compound": ("This is an old Microsoft Office file, but no Excel workbook.", SAVE_AS),
    "format_word": ("This is a Word document, not a spreadsheet.", "Copy its table into a workbook."),
    "format_slides": ("This is a presentation, not a spreadsheet.", "Upload the workbook itself."),
    "format_pdf": ("This is a PDF document, not a spreadsheet.", "Upload the workbook behind it."),
    "format_image": ("This is a picture, not a spreadsheet.", "Upload the workbook or CSV itself."),
    "format_html": ("This is a web page (HTML), even if its name says otherwise.", SAVE_AS),
    "format_mhtml": ("This is a saved web page (MHTML), even if its name says otherwise.", SAVE_AS),
    "format_xml_spreadsheet": ("This is an XML Spreadsheet 2003 file, which is not read here.", SAVE_AS),
    "format_xml": ("This is an XML document, not a spreadsheet.", "Upload the data as .xlsx or CSV."),
    "format_json": ("This is a JSON document, not a spreadsheet.", "Upload the data as .xlsx or CSV."),
    "format_archive": ("This is a compressed archive.", "Unpack it and upload the spreadsheet inside."),
    "format_zip": ("This is a zip archive, not a workbook.", "Unpack it and upload the spreadsheet inside."),
    "format_binary": ("This is not a file of a spreadsheet program.", "Upload the data as .xlsx or CSV."),
    "damaged_file": (
        "The workbook is damaged: {reason}.",
        "Open it in your spreadsheet program, let it repair the file, save it as new and upload that.",
    ),
    "doctype_refused": (
        "Part “{part}” of the workbook declares a document type, which no spreadsheet program writes.",
        SAVE_AS,
    ),
    "part_not_utf8": ("Part “{part}” of the workbook is not in UTF-8.", SAVE_AS),
    "outside_grid": (
        "The sheet has a cell at {cell}, outside the grid of {rows:,} rows and {columns:,} columns.",
        "Delete everything outside the table and save the file again.",
    ),
    "too_many_parts": ("The package has {parts:,} parts; {most:,} is the most that is read.", SPLIT),
    "package_too_large": (
        "Unpacked, the workbook has {size:,} bytes; at most {most:,} are read.",
        "Save the sheet that belongs here as CSV (UTF-8), which has no such limit, and upload that file.",
    ),
    "file_exceeds_limits": ("Reading the file went past the limit on {limit}.", SPLIT),
    "barren_part": (
        "Part “{part}” of the workbook has long stretches that hold no cell: white space, comments, or "
        "elements that mean nothing.",
        SAVE_AS,
    ),
    "cell_too_long": (
        "The cell at {cell} holds more than {most:,} characters.",
        "Shorten the text of this cell and upload the file again.",
    ),
    "unclosed_quote": (
        "The quotation mark opened in line {line} is not closed.",
        'Close it, or double it ("") if it belongs to the text, and upload the file again.',
    ),
    "stray_quote": (
        "Line {line} has text after a closing quotation mark.",
        'Double the quotation marks ("") that belong to the text and upload the file again.',
    ),
    "encoding_unknown": (
        "The file is neither UTF-8 nor {encoding}: it cannot be decoded at line {line}, character {column}.",
        "Save it as “CSV UTF-8” and upload that file.",
    ),
    "encoding_mixed": (
        "The file is UTF-8 for the most part, but not the byte {byte} in line {line}, character {column}.",
        "Correct the text there and save the file as “CSV UTF-8”: parts of it come from another program.",
    ),
}


class Refused(Exception):
    """The file, or what is in it, is refused as a whole."""

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


class UnreadableFile(Exception):
    """The file cannot be read, and another try would end the same."""

    def __init__(self, code: str, detail: dict[str, Any] | None = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail or {}
        self.message, self.remedy = describe(code, self.detail)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class ReadingStopped(Exception):
    """Our own side ended the reader child; says nothing about the file."""


class ReaderCrashed(Exception):
    """The reader child ended by an error of its own; another try may help."""


class ReaderKilled(ReaderCrashed):
    """Somebody else killed the child: a person, or the system for want of memory. None of our limits did."""


def describe(code: str, detail: dict[str, Any]) -> tuple[str, str]:
    """The sentence and the remedy of a failure."""
    message, remedy = SENTENCES[code]
    return message.format_map(detail), remedy.format_map(detail)
