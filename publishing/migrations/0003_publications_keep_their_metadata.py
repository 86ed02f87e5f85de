from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publishing", "0002_room_for_leases"),
    ]

    operations = [
        migrations.AddField(
            model_name="publication",
            name="metadata",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
