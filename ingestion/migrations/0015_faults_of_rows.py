"""The column of a refused row's faults is called so in the code now; its sentences are made when they are read."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("ingestion", "0014_uploads_of_a_dataset_are_counted")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("rowerror", "errors", "faults"),
                migrations.AlterField("rowerror", "faults", models.JSONField(db_column="errors")),
            ]
        )
    ]
