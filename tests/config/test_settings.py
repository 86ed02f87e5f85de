"""The settings are read once per process, so each kind of installation is seen in its own process."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

PRODUCTION = {
    "SECRET_KEY": "0mEWYK7pD1Vg3rCq9Lz5Hs2Xn8Bt4Jf6Aw-Uu_iRoPeTyQvGbNkMhDcSxZl",
    "PUBLIC_BASE_URL": "https://waybill.example.org",
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
}


def manage(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def value_of(name, **environment):
    """The setting as a process with that environment sees it."""
    done = manage(
        "shell",
        "--no-imports",
        "-c",
        f"from django.conf import settings; print(settings.{name})",
        **environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_deployment_check_is_clean_with_production_settings():
    done = manage("check", "--deploy", "--fail-level", "INFO", **PRODUCTION)

    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), (
        done.stderr
    )


@pytest.mark.parametrize("missing", ["SECRET_KEY", "PUBLIC_BASE_URL"])
def test_production_without_a_needed_value_stops_with_a_hint(missing):
    environment = {name: value for name, value in PRODUCTION.items() if name != missing}

    done = manage("check", DEMO="false", **environment)

    assert done.returncode != 0
    assert f"The environment variable {missing} is not set." in done.stderr


def test_secret_key_makes_it_production():
    assert value_of("DEMO, settings.REQUIRE_SECOND_FACTOR, settings.ALLOWED_HOSTS", **PRODUCTION) == (
        "False True ['waybill.example.org']"
    )


def test_nothing_set_is_the_demo_under_loopback_names_only(tmp_path):
    seen = value_of("DEMO, settings.REQUIRE_SECOND_FACTOR, settings.ALLOWED_HOSTS", VAR_DIR=str(tmp_path))

    assert seen == "True False ['localhost', '127.0.0.1', '[::1]']"


def test_demo_makes_one_key_and_keeps_it_to_itself(tmp_path):
    first, second = (value_of("SECRET_KEY", VAR_DIR=str(tmp_path)) for _ in range(2))

    assert first == second
    assert len(first) > 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("cluster", "workers"), [("ground", 1), ("pipelines", 5)])
def test_clusters_take_no_more_than_they_work_on(cluster, workers):
    """Read through django-q2's own eyes: its names for settings change between versions."""
    code = (
        "from django_q.conf import Conf as C; "
        "print(C.CLUSTER_NAME, C.PREFIX, C.WORKERS, C.QUEUE_LIMIT, C.TIMEOUT, C.ACK_FAILURES, "
        "C.MAX_ATTEMPTS, C.CATCH_UP, C.SAVE_LIMIT, C.BULK, C.POLL, C.GUARD_CYCLE, C.BROKER_CLASS)"
    )

    done = manage(
        "shell", "--no-imports", "-c", code, Q_CLUSTER_NAME=cluster, PIPELINE_WORKERS="5", **PRODUCTION
    )

    expected = (
        f"{cluster} ground {workers} {workers} None True 1 False -1 1 0.5 1 work.cluster.DeletingBroker\n"
    )
    assert done.stdout == expected, done.stderr


def test_redis_takes_over_the_cache():
    backend = value_of("CACHES['default']['BACKEND']", REDIS_URL="redis://127.0.0.1:6379/0", **PRODUCTION)

    assert backend == "django.core.cache.backends.redis.RedisCache"


def test_production_collects_static_files_under_hashed_names(tmp_path):
    """Every address inside our style sheets and scripts must lead somewhere, or collecting fails."""
    done = manage("collectstatic", "--no-input", STATIC_ROOT=str(tmp_path), **PRODUCTION)

    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("css/*.????????????.css"))
    assert list(tmp_path.glob("js/*.????????????.js"))
