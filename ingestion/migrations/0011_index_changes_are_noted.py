"""The extension that finds letters, and the triggers that note which records changed.

Statement triggers, since rows come by COPY and SQL, which no signal sees: whoever changes records, the note
stands in the same transaction. What is stored already is noted once, and so comes into the index.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import migrations
from django.db.utils import NotSupportedError, OperationalError, ProgrammingError

EXISTS = "SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'"
MISSING = (
    "The extension pg_trgm is needed for searching and could not be created. Let an administrator of the "
    "database run CREATE EXTENSION pg_trgm; in it (its package is often called postgresql-contrib), then "
    "migrate again."
)
NOTE = """
ALTER TABLE ingestion_indexchange ALTER records SET STORAGE EXTERNAL;
CREATE FUNCTION ingestion_note_changed_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ingestion_indexchange (dataset_id, records, number)
  SELECT dataset_id, array_agg(id), count(*) FROM changed GROUP BY dataset_id;
  RETURN NULL;
END $$;
CREATE TRIGGER records_inserted AFTER INSERT ON ingestion_record
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ingestion_note_changed_records();
CREATE TRIGGER records_updated AFTER UPDATE ON ingestion_record
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ingestion_note_changed_records();
CREATE TRIGGER records_deleted AFTER DELETE ON ingestion_record
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ingestion_note_changed_records();
INSERT INTO ingestion_indexchange (dataset_id, records, number)
  SELECT dataset_id, array_agg(id), count(*) FROM ingestion_record GROUP BY dataset_id;
"""
FORGET = """
DROP TRIGGER records_inserted ON ingestion_record;
DROP TRIGGER records_updated ON ingestion_record;
DROP TRIGGER records_deleted ON ingestion_record;
DROP FUNCTION ingestion_note_changed_records();
"""


def find_letters(apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(EXISTS)
        if cursor.fetchone():
            return
        try:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except (ProgrammingError, OperationalError, NotSupportedError) as error:
            raise ImproperlyConfigured(MISSING) from error


class Migration(migrations.Migration):
    dependencies = [("ingestion", "0010_search")]

    operations = [
        migrations.RunPython(find_letters, migrations.RunPython.noop),
        migrations.RunSQL(NOTE, FORGET),
    ]
