"""Row triggers that keep events, decisions and the trail append-only, and room for heap-only updates of leases.

Row triggers only: a TRUNCATE trigger would stop test databases from being emptied.

"""

from typing import ClassVar

from django.db import migrations

REFUSE = """
CREATE FUNCTION work_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON work_auditentry
  FOR EACH ROW EXECUTE FUNCTION work_append_only();
CREATE TRIGGER decision_is_append_only BEFORE UPDATE OR DELETE ON work_decision
  FOR EACH ROW EXECUTE FUNCTION work_append_only();
CREATE TRIGGER event_is_append_only BEFORE UPDATE ON work_event
  FOR EACH ROW EXECUTE FUNCTION work_append_only();
"""
UNDO = """
DROP TRIGGER audit_is_append_only ON work_auditentry;
DROP TRIGGER decision_is_append_only ON work_decision;
DROP TRIGGER event_is_append_only ON work_event;
DROP FUNCTION work_append_only();
"""
ROOM = "".join(
    f"ALTER TABLE {table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);"
    for table in (
        "work_delivery",
        "work_periodicrun",
        "work_bulkaction",
        "work_mail",
        "work_worker",
        "work_attempt",
    )
)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("work", "0001_initial")]
    operations: ClassVar = [
        migrations.RunSQL(REFUSE, UNDO),
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
    ]
