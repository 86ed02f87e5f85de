"""Media types of the reports of an upload, and the last part of their addresses."""

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CONTENT_TYPES = {
    "xlsx": WORKBOOK,
    "mend": WORKBOOK,
    "whole": WORKBOOK,
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}
ENDINGS = {"xlsx": "xlsx", "mend": "mend.xlsx", "whole": "whole.xlsx", "csv": "csv", "json": "json"}
