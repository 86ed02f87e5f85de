"""Why an upload or a report failed: the codes of this app, with the sentence and the remedy for each."""

from ingestion import questions
from ingestion.checking.messages import FILE_MESSAGES
from ingestion.reading.failures import SENTENCES
from work import failure_texts

EVERY_ROW_REFUSED = "every_row_refused"
NO_DATA_ROWS = "no_data_rows"
TOO_MANY_REFUSED = "too_many_refused"
ORIGINAL_MISSING = "original_missing"
READER_CRASHED = "reader_crashed"
READER_KILLED = "reader_killed"
VALUES_NOT_STORABLE = "values_not_storable"
DATABASE_UNAVAILABLE = "database_unavailable"

TEXTS = {
    EVERY_ROW_REFUSED: (
        "Every row was refused, so nothing was stored.",
        "Read what is wrong with the rows below, mend them in the file and upload it again.",
    ),
    NO_DATA_ROWS: (
        "The file has a header but no data below it.",
        "Check that the data stands on the first visible sheet, under the header.",
    ),
    TOO_MANY_REFUSED: (
        "{refused:,} of {rows:,} rows were refused. Above {limit} % nothing of a file is stored.",
        "Read what is wrong with the rows below, mend them in the file and upload the whole file again.",
    ),
    ORIGINAL_MISSING: (
        "The kept file could not be found in storage.",
        "Tell an operator: the storage must be looked at. The upload can be sent again.",
    ),
    READER_CRASHED: (
        "The reader of files ended by an error of its own.",
        "Tell an operator, who can see the error of every attempt.",
    ),
    READER_KILLED: (
        "The reader of files was ended from outside.",
        "Nothing need be done: the file is read again by itself.",
    ),
    VALUES_NOT_STORABLE: (
        "The database refused a value of the file.",
        "Tell an operator: the checks should have found it first.",
    ),
    DATABASE_UNAVAILABLE: (
        "The database could not be reached for too long.",
        "Tell an operator. The upload can be sent again.",
    ),
}


def register() -> None:
    failure_texts.register({**SENTENCES, **FILE_MESSAGES, **questions.failure_texts(), **TEXTS})
