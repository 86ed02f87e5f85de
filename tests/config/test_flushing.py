"""What a test commits is gone before the next one, whatever refuses to be deleted."""

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from tests import flushing
from tests.factories import UploadFactory
from work import decisions

pytestmark = pytest.mark.django_db(transaction=True)
MANY = "INSERT INTO django_session SELECT n::text, repeat('x', 900), now() FROM generate_series(1, 900) n"


@pytest.fixture(autouse=True)
def known():
    """What migrating has made is known from the first time on."""
    flushing.flush()


def with_rows():
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            cursor.execute(f"SELECT EXISTS (SELECT FROM {connection.ops.quote_name(table)})")
            found |= {table} if cursor.fetchone() == (True,) else set()
    return found - set(flushing.MADE_BY_MIGRATING)


def test_rows_that_belong_together_and_rows_that_refuse_deletion_are_gone():
    made_before = flushing._made()
    UploadFactory()
    with transaction.atomic():
        decisions.record("a.test", by="somebody", kind="upload")
    assert with_rows() >= {"ingestion_upload", "ingestion_dataset", "work_decision"}

    flushing.flush()

    assert with_rows() == set()
    assert flushing._made() == made_before


def test_large_table_gives_its_room_back():
    with connection.cursor() as cursor:
        cursor.execute(MANY)
    assert flushing._sizes()["django_session"] > flushing.LARGEST

    flushing.flush()

    assert with_rows() == set()
    assert flushing._sizes()["django_session"] == 0


def test_what_migrating_made_is_made_anew_when_it_was_changed():
    permissions = Permission.objects.count()
    ContentType.objects.create(app_label="strange", model="stranger")

    flushing.flush()

    assert not ContentType.objects.filter(app_label="strange").exists()
    assert Permission.objects.count() == permissions
