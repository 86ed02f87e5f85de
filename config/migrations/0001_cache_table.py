from django.db import migrations


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        # The shape that django's createcachetable makes: a migration, so that every database has it.
        migrations.RunSQL(
            """
            CREATE TABLE IF NOT EXISTS django_cache (
                cache_key varchar(255) NOT NULL PRIMARY KEY,
                value text NOT NULL,
                expires timestamptz NOT NULL
            );
            CREATE INDEX IF NOT EXISTS django_cache_expires ON django_cache (expires);
            """,
            "DROP TABLE IF EXISTS django_cache",
        )
    ]
