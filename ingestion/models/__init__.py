from ingestion.models.datasets import Dataset, HeaderAlias, Record, RecordVersion, SchemaVersion
from ingestion.models.drafts import SchemaDraft
from ingestion.models.uploads import ErrorCount, Report, RowError, Upload, UploadKeys

__all__ = [
    "Dataset", "ErrorCount", "HeaderAlias", "Record", "RecordVersion", "Report", "RowError", "SchemaDraft",
    "SchemaVersion", "Upload", "UploadKeys",
]  # fmt: skip
