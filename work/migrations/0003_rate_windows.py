from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("work", "0002_append_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="RateWindow",
            fields=[
                ("key", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("began_at", models.DateTimeField()),
                ("taken", models.PositiveIntegerField()),
            ],
        ),
    ]
