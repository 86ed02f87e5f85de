from ingestion.models.datasets import Dataset, HeaderAlias, Record, RecordVersion, SchemaVersion
from ingestion.models.uploads import ErrorCount, Report, RowError, Upload, UploadKeys

__all__ = [
    "Dataset", "ErrorCount", "HeaderAlias", "Record", "RecordVersion", "Report", "RowError", "SchemaVersion",
    "Upload", "UploadKeys",
]  # fmt: skip
