import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

import work.identifiers
import work.models.leased


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("ingestion", "0013_rows_left_out"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("identifier", models.SlugField(max_length=80)),
                ("title", models.CharField(max_length=300)),
                ("metadata", models.JSONField(default=dict)),
                ("edition", models.PositiveIntegerField(default=1, editable=False)),
                (
                    "tier",
                    models.CharField(
                        choices=[("basic", "Basic"), ("high", "High")], default="basic", max_length=5
                    ),
                ),
                ("external_id", models.CharField(blank=True, default="", max_length=200)),
                ("last_version", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "changed_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="ingestion.dataset",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="accounts.organisation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExternalService",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("slug", models.SlugField(max_length=80)),
                ("title", models.CharField(max_length=150)),
                ("url", models.URLField(max_length=500)),
                ("token", models.CharField(blank=True, default="", max_length=500)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="external_services",
                        to="accounts.organisation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ExportCleanup",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("publication", models.UUIDField()),
                ("export_key", models.CharField(max_length=100)),
                (
                    "why",
                    models.CharField(
                        choices=[
                            ("failed", "Failed"),
                            ("left_round", "Left Round"),
                            ("cancelled", "Cancelled"),
                            ("removed", "Removed"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("done", "Done")],
                        db_default="waiting",
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("asked_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), null=True),
                ),
                ("done_at", models.DateTimeField(null=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("last_code", models.CharField(blank=True, default="", max_length=60)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cleanups",
                        to="publishing.entry",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="export_cleanups",
                        to="accounts.organisation",
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="publishing.externalservice",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="entry",
            name="service",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="publishing.externalservice",
            ),
        ),
        migrations.CreateModel(
            name="Failure",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("version", models.PositiveIntegerField()),
                (
                    "trigger",
                    models.CharField(
                        choices=[("manual", "Manual"), ("schedule", "Schedule"), ("api", "Api")], max_length=8
                    ),
                ),
                ("requested_by_label", models.CharField(max_length=200)),
                ("accepted_at", models.DateTimeField()),
                ("failed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("step", models.CharField(blank=True, max_length=40)),
                ("code", models.CharField(max_length=60)),
                ("detail", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("attempts", models.JSONField(default=list)),
                ("rounds", models.PositiveIntegerField()),
                ("correlation_id", models.CharField(blank=True, max_length=64)),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="failures",
                        to="publishing.entry",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="failures",
                        to="accounts.organisation",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LocalExport",
            fields=[
                ("key", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("dataset_version", models.BigIntegerField(null=True)),
                ("files", models.JSONField(default=list)),
                ("started_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                (
                    "dataset",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="ingestion.dataset",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.organisation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("lease_token", models.UUIDField(editable=False, null=True)),
                ("locked_until", models.DateTimeField(editable=False, null=True)),
                ("locked_by", models.UUIDField(editable=False, null=True)),
                ("heartbeat_at", models.DateTimeField(editable=False, null=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, null=True
                    ),
                ),
                ("asked_at", models.DateTimeField(editable=False, null=True)),
                ("question", models.CharField(editable=False, max_length=60, null=True)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
                (
                    "step",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=40),
                ),
                ("progress_done", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("progress_total", models.BigIntegerField(editable=False, null=True)),
                (
                    "progress_unit",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=20),
                ),
                ("starts", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("unanswered", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ("postponed", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                (
                    "accepted_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                (
                    "correlation_id",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
                ),
                (
                    "failure_code",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=60),
                ),
                ("failure_detail", models.JSONField(db_default={}, default=dict, editable=False)),
                ("version", models.PositiveIntegerField(editable=False)),
                (
                    "trigger",
                    models.CharField(
                        choices=[("manual", "Manual"), ("schedule", "Schedule"), ("api", "Api")], max_length=8
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("get_data", "Get Data"),
                            ("persist_data", "Persist Data"),
                            ("published", "Published"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        db_default="requested",
                        default="requested",
                        max_length=12,
                    ),
                ),
                ("requested_by_label", models.CharField(editable=False, max_length=200)),
                ("round", models.PositiveIntegerField(db_default=1, default=1, editable=False)),
                ("edition", models.PositiveIntegerField(editable=False, null=True)),
                ("dataset_version", models.BigIntegerField(editable=False, null=True)),
                ("version_notes", models.TextField(blank=True, db_default="", default="")),
                ("turtle", models.BinaryField(null=True)),
                ("triples", models.BinaryField(null=True)),
                (
                    "graph_sha256",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
                ),
                ("report", models.JSONField(db_default={}, default=dict, editable=False)),
                ("score", models.JSONField(db_default={}, default=dict, editable=False)),
                ("published_at", models.DateTimeField(editable=False, null=True)),
                ("removed_at", models.DateTimeField(editable=False, null=True)),
                (
                    "cancelled_by_label",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=200),
                ),
                ("cancel_reason", models.TextField(blank=True, db_default="", default="", editable=False)),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publications",
                        to="publishing.entry",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publications",
                        to="accounts.organisation",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="entry",
            name="current",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="publishing.publication",
            ),
        ),
        migrations.CreateModel(
            name="Distribution",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("format", models.CharField(max_length=10)),
                ("media_type", models.CharField(max_length=100)),
                ("filename", models.CharField(max_length=200)),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("records", models.BigIntegerField()),
                ("storage_key", models.CharField(max_length=200)),
                ("round", models.PositiveIntegerField()),
                (
                    "publication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="distributions",
                        to="publishing.publication",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("lease_token", models.UUIDField(editable=False, null=True)),
                ("locked_until", models.DateTimeField(editable=False, null=True)),
                ("locked_by", models.UUIDField(editable=False, null=True)),
                ("heartbeat_at", models.DateTimeField(editable=False, null=True)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False, null=True
                    ),
                ),
                ("asked_at", models.DateTimeField(editable=False, null=True)),
                ("question", models.CharField(editable=False, max_length=60, null=True)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
                (
                    "step",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=40),
                ),
                ("progress_done", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("progress_total", models.BigIntegerField(editable=False, null=True)),
                (
                    "progress_unit",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=20),
                ),
                ("starts", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("unanswered", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ("postponed", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                (
                    "accepted_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                (
                    "correlation_id",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=64),
                ),
                (
                    "failure_code",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=60),
                ),
                ("failure_detail", models.JSONField(db_default={}, default=dict, editable=False)),
                ("version", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("removing", "Removing"),
                            ("removed", "Removed"),
                            ("failed", "Failed"),
                        ],
                        db_default="requested",
                        default="requested",
                        max_length=10,
                    ),
                ),
                ("requested_by_label", models.CharField(max_length=200)),
                ("why", models.TextField(blank=True, default="")),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="removals",
                        to="publishing.entry",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="removals",
                        to="accounts.organisation",
                    ),
                ),
                (
                    "publication",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="removals",
                        to="publishing.publication",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Slot",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=work.identifiers.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("slot_at", models.DateTimeField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("ran", "Ran"),
                            ("late", "Late"),
                            ("caught_up", "Caught Up"),
                            ("skipped", "Skipped"),
                        ],
                        max_length=9,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=60)),
                ("missed", models.PositiveIntegerField(default=0)),
                ("publication", models.UUIDField(null=True)),
                ("decided_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "entry",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="slots",
                        to="publishing.entry",
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.organisation",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CatalogueWrite",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="catalogue_write",
                        serialize=False,
                        to="publishing.entry",
                    ),
                ),
                ("number", models.BigIntegerField(db_default=0, default=0)),
                ("holder", models.UUIDField(null=True)),
                ("held_until", models.DateTimeField(null=True)),
                ("wanted", models.BinaryField(db_default=b"", default=b"")),
                ("wanted_sha256", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("wanted_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("written_number", models.BigIntegerField(null=True)),
                ("look_at", models.DateTimeField(null=True)),
                ("looks", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("last_code", models.CharField(blank=True, db_default="", default="", max_length=60)),
                ("compared_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("look_at__isnull", False)),
                        fields=["look_at"],
                        name="catalogue_write_look",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("held_until__isnull", True), ("holder__isnull", True)),
                            models.Q(("held_until__isnull", False), ("holder__isnull", False)),
                            _connector="OR",
                        ),
                        name="catalogue_write_hold_has_an_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("holder__isnull", True), ("look_at__isnull", False), _connector="OR"
                        ),
                        name="a_held_write_is_looked_at_again",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Schedule",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="schedule",
                        serialize=False,
                        to="publishing.entry",
                    ),
                ),
                (
                    "every",
                    models.CharField(
                        choices=[("daily", "Daily"), ("weekly", "Weekly"), ("monthly", "Monthly")],
                        max_length=7,
                    ),
                ),
                (
                    "weekday",
                    models.PositiveSmallIntegerField(
                        blank=True, null=True, validators=[django.core.validators.MaxValueValidator(6)]
                    ),
                ),
                (
                    "month_day",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(31),
                        ],
                    ),
                ),
                ("at", models.TimeField()),
                ("zone", models.CharField(max_length=60)),
                ("next_due_at", models.DateTimeField()),
                ("only_when_changed", models.BooleanField(default=False)),
                ("keep_versions", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("paused_at", models.DateTimeField(editable=False, null=True)),
                ("paused_by_label", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("paused_why", models.TextField(blank=True, default="", editable=False)),
                (
                    "changed_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="schedules",
                        to="accounts.organisation",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="externalservice",
            constraint=models.UniqueConstraint(
                fields=("organisation", "slug"), name="external_service_slug_once"
            ),
        ),
        migrations.AddIndex(
            model_name="exportcleanup",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="cleanup_due"
            ),
        ),
        migrations.AddIndex(
            model_name="exportcleanup",
            index=models.Index(fields=["publication"], name="cleanup_of_publication"),
        ),
        migrations.AddConstraint(
            model_name="exportcleanup",
            constraint=models.UniqueConstraint(fields=("export_key",), name="one_cleanup_per_export"),
        ),
        migrations.AddConstraint(
            model_name="exportcleanup",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("done_at__isnull", True), ("due_at__isnull", False), ("state", "waiting")),
                    models.Q(("done_at__isnull", False), ("due_at__isnull", True), ("state", "done")),
                    _connector="OR",
                ),
                name="cleanup_is_due_or_done",
            ),
        ),
        migrations.AddIndex(
            model_name="failure",
            index=models.Index(fields=["organisation", "-id"], name="failure_list"),
        ),
        migrations.AddIndex(
            model_name="failure",
            index=models.Index(fields=["entry", "-id"], name="failure_of_entry"),
        ),
        migrations.AddIndex(
            model_name="failure",
            index=models.Index(fields=["code", "-id"], name="failure_code"),
        ),
        migrations.AddIndex(
            model_name="failure",
            index=models.Index(fields=["correlation_id"], name="failure_correlation"),
        ),
        migrations.AddConstraint(
            model_name="failure",
            constraint=models.UniqueConstraint(fields=("entry", "version"), name="failure_version_once"),
        ),
        migrations.AddConstraint(
            model_name="localexport",
            constraint=models.CheckConstraint(
                condition=models.Q(("deleted_at__isnull", True), ("files", []), _connector="OR"),
                name="a_deleted_export_has_no_files",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)),
                fields=["organisation", "due_at", "id"],
                name="publication_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("lease_token__isnull", False)),
                fields=["organisation"],
                name="publication_running",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                models.F("organisation"),
                models.OrderBy(models.F("started_at"), descending=True),
                condition=models.Q(("started_at__isnull", False)),
                name="publication_served",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("asked_at__isnull", False)),
                fields=["asked_at"],
                name="publication_asking",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(fields=["organisation", "-id"], name="publication_list"),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(fields=["organisation", "state", "-id"], name="publication_state_of_tenant"),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(fields=["state", "-id"], name="publication_state"),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(fields=["correlation_id"], name="publication_correlation"),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    work.models.leased.NumNonNulls("lease_token", "due_at", "asked_at", "finished_at"), 1
                ),
                name="publication_is_leased_due_asking_or_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_token__isnull", True), ("locked_until__isnull", True)),
                    models.Q(("lease_token__isnull", False), ("locked_until__isnull", False)),
                    _connector="OR",
                ),
                name="publication_lease_has_an_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("finished_at__isnull", False), ("state__in", ["cancelled", "failed", "published"])
                    ),
                    models.Q(
                        ("finished_at__isnull", True),
                        models.Q(("state__in", ["cancelled", "failed", "published"]), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="publication_finished_at_iff_terminal",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("asked_at__isnull", True), ("question__isnull", True)),
                    models.Q(("asked_at__isnull", False), ("question__isnull", False)),
                    _connector="OR",
                ),
                name="publication_question_iff_asking",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("unanswered__lte", models.F("starts")), ("unanswered__range", (0, 3))),
                name="publication_unanswered_is_bounded",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished_at__isnull", True)),
                fields=("entry",),
                name="one_active_publication",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.UniqueConstraint(fields=("entry", "version"), name="publication_version_once"),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "published"), _negated=True),
                    models.Q(
                        ("published_at__isnull", False), ("triples__isnull", False), ("turtle__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="published_has_its_graph",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("removed_at__isnull", True), ("state", "published"), _connector="OR"),
                name="only_the_published_is_removed",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["organisation", "-id"], name="entry_list"),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("title"), name="gin_trgm_ops"
                ),
                name="entry_title_like",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("organisation", "identifier"), name="entry_identifier_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("dataset__isnull", False), ("external_id", ""), ("service__isnull", True)),
                    models.Q(
                        ("dataset__isnull", True),
                        ("service__isnull", False),
                        models.Q(("external_id", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="entry_has_one_source",
            ),
        ),
        migrations.AddConstraint(
            model_name="distribution",
            constraint=models.UniqueConstraint(
                fields=("publication", "format"), name="one_distribution_per_format"
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)),
                fields=["organisation", "due_at", "id"],
                name="removal_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                condition=models.Q(("lease_token__isnull", False)),
                fields=["organisation"],
                name="removal_running",
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                models.F("organisation"),
                models.OrderBy(models.F("started_at"), descending=True),
                condition=models.Q(("started_at__isnull", False)),
                name="removal_served",
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                condition=models.Q(("asked_at__isnull", False)), fields=["asked_at"], name="removal_asking"
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(fields=["entry", "-id"], name="removal_of_entry"),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    work.models.leased.NumNonNulls("lease_token", "due_at", "asked_at", "finished_at"), 1
                ),
                name="removal_is_leased_due_asking_or_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_token__isnull", True), ("locked_until__isnull", True)),
                    models.Q(("lease_token__isnull", False), ("locked_until__isnull", False)),
                    _connector="OR",
                ),
                name="removal_lease_has_an_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["failed", "removed"])),
                    models.Q(
                        ("finished_at__isnull", True),
                        models.Q(("state__in", ["failed", "removed"]), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="removal_finished_at_iff_terminal",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("asked_at__isnull", True), ("question__isnull", True)),
                    models.Q(("asked_at__isnull", False), ("question__isnull", False)),
                    _connector="OR",
                ),
                name="removal_question_iff_asking",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(("unanswered__lte", models.F("starts")), ("unanswered__range", (0, 3))),
                name="removal_unanswered_is_bounded",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "failed"), _negated=True),
                fields=("publication",),
                name="one_removal_per_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="slot",
            constraint=models.UniqueConstraint(fields=("entry", "slot_at"), name="one_outcome_per_slot"),
        ),
        migrations.AddConstraint(
            model_name="slot",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("outcome", "skipped"), models.Q(("reason", ""), _negated=True)),
                    models.Q(("outcome", "skipped"), _negated=True),
                    _connector="OR",
                ),
                name="a_skipped_slot_says_why",
            ),
        ),
        migrations.AddIndex(
            model_name="schedule",
            index=models.Index(
                condition=models.Q(("paused_at__isnull", True)), fields=["next_due_at"], name="schedule_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="schedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("every", "daily"), ("month_day__isnull", True), ("weekday__isnull", True)),
                    models.Q(("every", "weekly"), ("month_day__isnull", True), ("weekday__range", (0, 6))),
                    models.Q(("every", "monthly"), ("month_day__range", (1, 31)), ("weekday__isnull", True)),
                    _connector="OR",
                ),
                name="schedule_day_fits_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="schedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("keep_versions__isnull", True), ("keep_versions__gte", 1), _connector="OR"
                ),
                name="schedule_keeps_a_version",
            ),
        ),
    ]
