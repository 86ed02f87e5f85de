from ingestion.models.datasets import Dataset, HeaderAlias, Record, RecordVersion, SchemaVersion
from ingestion.models.drafts import SchemaDraft
from ingestion.models.search import (
    IndexChange,
    IndexComparison,
    IndexUpdate,
    ParkedDocument,
    Reindex,
    SearchGeneration,
)
from ingestion.models.uploads import ErrorCount, Report, RowError, Upload, UploadKeys

__all__ = [
    "Dataset", "ErrorCount", "HeaderAlias", "IndexChange", "IndexComparison", "IndexUpdate",
    "ParkedDocument", "Record", "RecordVersion", "Reindex", "Report", "RowError", "SchemaDraft",
    "SchemaVersion", "SearchGeneration", "Upload", "UploadKeys",
]  # fmt: skip
