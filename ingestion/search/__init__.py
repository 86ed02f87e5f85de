"""The search index of records: derived, rebuilt as a routine, never the truth about a record."""
