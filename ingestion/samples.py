"""What a sample file says about a dataset: read in a child of this process, within seconds, and not kept."""

from typing import Any

from accounts.models import Organisation
from ingestion.inferring import sampling
from ingestion.inferring.sampling import Sample
from ingestion.inferring.schema import Inferred, NothingUsable, infer
from ingestion.reading.failures import ReaderCrashed, ReadingStopped, UnreadableFile
from work import rate_limits
from work.problems import Problem

# Each reads with a process of its own for some seconds.
PER_MINUTE = 20


def read(
    *, file: Any, organisation: Organisation, by: Any, locale: str = "", sheet: str = "", header_row: int = 0
) -> tuple[Sample, Inferred]:
    """`file` is a real file with a descriptor. Without a locale the organisation's is used, or one
    that fits the sample better.

    Raises Problem 422 with the reader's own code and sentence, 422 `no_usable_columns`, 429, 503
    `sample_not_read`.
    """
    rate_limits.take(f"infer {by.actor}", per_minute=PER_MINUTE)
    try:
        sample = sampling.take(
            file, encoding=organisation.default_encoding, sheet=sheet or None, header_row=header_row
        )
        return sample, infer(sample, locale=locale or organisation.locale, is_said=bool(locale))
    except UnreadableFile as error:
        raise Problem(422, error.code, error.message, error.remedy) from error
    except NothingUsable as error:
        raise Problem(
            422,
            "no_usable_columns",
            f"Row {sample.header_row} of the sample has no heading that stands over one column only.",
            "Give each column a heading of its own, in one row above the data.",
        ) from error
    except (ReaderCrashed, ReadingStopped) as error:
        raise Problem(
            503,
            "sample_not_read",
            "The reader of files ended by an error of its own.",
            "Send the sample again. If it is refused again, tell an operator.",
            headers={"Retry-After": "10"},
        ) from error
