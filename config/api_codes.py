"""Every code that a problem of the API may carry, for its document. Programs may rely on them."""

from ingestion.reading.kinds import Kind
from ingestion.uploads import ACCEPTED_KINDS

CODES: dict[int, tuple[str, ...]] = {
    400: (
        "bad_cursor", "charset_not_supported", "organisation_ambiguous", "organisation_missing",
        "request_not_readable",
    ),
    401: ("sign_in_required", "token_not_valid"),
    403: ("csrf_token_missing", "not_allowed", "second_factor_required"),
    404: (
        "dataset_not_found", "file_missing", "no_row_report", "not_found", "organisation_not_found",
        "record_not_found", "reindex_not_found", "upload_not_found",
    ),
    405: ("method_not_allowed",),
    409: (
        "already_finished", "field_referred_to", "key_in_use", "no_verdict_yet", "not_a_dry_run",
        "not_asking", "not_comparable", "not_reprocessable", "nothing_to_compare", "nothing_to_mend",
        "slug_taken", "storage_limit_reached",
    ),
    412: ("schema_changed_meanwhile",),
    413: ("file_too_large", "request_too_large"),
    415: tuple(f"format_{kind}" for kind in Kind if kind not in (*ACCEPTED_KINDS, Kind.EMPTY)),
    416: ("range_not_satisfiable",),
    422: (
        "empty_file", "field_not_indexed_yet", "field_not_sortable", "filter_not_valid",
        "idempotency_key_malformed", "idempotency_key_reused", "mends_unknown",
        "no_usable_columns", "reading_not_valid", "request_not_valid", "schema_not_valid", "slug_reserved",
        "snapshot_needs_key", "too_many_for_a_workbook", "unknown_field",
    ),
    428: ("if_match_required",),
    429: ("too_many_in_progress", "too_many_requests"),
    500: ("internal_error",),
    503: ("database_unavailable", "sample_not_read", "storage_unavailable"),
}  # fmt: skip


def in_words() -> str:
    lines = [f"- {status}: {', '.join(f'`{code}`' for code in codes)}" for status, codes in CODES.items()]
    return "The codes of problems, by status:\n\n" + "\n".join(lines)
