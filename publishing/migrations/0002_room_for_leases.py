"""Room on each page for heap-only updates: leases are renewed far more often than rows are made."""

from typing import ClassVar

from django.db import migrations

ROOM = "".join(
    f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);"
    for table in ("publishing_publication", "publishing_removal")
)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("publishing", "0001_initial")]
    operations: ClassVar = [migrations.RunSQL(ROOM, migrations.RunSQL.noop)]
