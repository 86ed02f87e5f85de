import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.database import database_settings


def test_url_becomes_settings_with_kept_and_checked_connections():
    settings = database_settings("postgresql://me:p%40ss@db.example:6000/waybill?sslmode=require")

    assert settings == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "waybill",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "6000",
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 10, "sslmode": "require"},
    }


def test_socket_folder_in_url_becomes_host():
    assert database_settings("postgresql://me@/waybill?host=%2Fvar%2Frun")["HOST"] == "/var/run"


@pytest.mark.parametrize("url", ["mysql://me@db/waybill", "postgresql://me@db/", "waybill"])
def test_unreadable_address_or_missing_name_is_refused_with_the_shape(url):
    with pytest.raises(ImproperlyConfigured, match="postgresql://user:password@host:5432/name"):
        database_settings(url)


@pytest.mark.django_db
def test_cache_table_comes_with_the_migrations():
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, "django_cache")

    assert [column.name for column in columns] == ["cache_key", "value", "expires"]
