"""All settings. Each one that differs between installations is read from the environment and described
in README.md. With nothing set this is the demo on one machine; SECRET_KEY makes it a production set-up."""

import os
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from config import embedded, logs, mail
from config.database import database_settings
from config.environment import env_bool, env_choice, env_int, env_list, env_str
from config.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env_str("VAR_DIR", default=str(BASE_DIR / "var"))).absolute()

# --- What kind of installation this is

DEBUG = env_bool("DEBUG", default=False)
# The demo answers only under loopback names (see ALLOWED_HOSTS), so an installation that is reachable
# by its name can never be the demo by oversight.
DEMO = env_bool("DEMO", default="SECRET_KEY" not in os.environ)
SECRET_KEY = secret_key(VAR_DIR, demo=DEMO)
LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]
PUBLIC_BASE_URL = env_str(
    "PUBLIC_BASE_URL",
    default=f"http://127.0.0.1:{env_int('PORT', default=8000)}" if DEMO else None,
    hint="Set it to the address people open, for instance https://waybill.example.org.",
).rstrip("/")
ALLOWED_HOSTS = env_list(
    "ALLOWED_HOSTS", default=LOOPBACK_NAMES if DEMO else [urlsplit(PUBLIC_BASE_URL).hostname or ""]
)
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", default=[] if DEMO else [PUBLIC_BASE_URL])

# --- Parts

AUTH_USER_MODEL = "accounts.User"
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SITE_ID = None

INSTALLED_APPS = [
    "config.apps.RoofConfig",
    "ingestion",
    "publishing",
    "accounts",
    "work",
    "config.apps.MendingConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "django_q",
    "django_htmx",
    "template_partials",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "ninja",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "work.correlation.CorrelationMiddleware",
    "config.unreadable.UnreadableMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.PrincipalMiddleware",
    "config.api_problems.ProblemMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "work.navigation.rail",
            ],
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            [
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
        },
    }
]

# --- Database, cache, files

DATABASE_URL = env_str("DATABASE_URL", default="")
REDIS_URL = env_str("REDIS_URL", default="")

DATABASES: dict[str, dict[str, Any]] = {
    "default": database_settings(DATABASE_URL or embedded.address(VAR_DIR)),
}
if TEST_DATABASE_NAME := env_str("TEST_DATABASE_NAME", default=""):
    DATABASES["default"]["TEST"] = {"NAME": TEST_DATABASE_NAME}

CACHES: dict[str, dict[str, Any]] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "django_cache",
            "OPTIONS": {"MAX_ENTRIES": 20_000},
        }
    ),
    # The cluster's own statistics, written every second and read by nobody: not worth a database write.
    "cluster_statistics": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "cluster-statistics",
    },
}

FILES_DIR = VAR_DIR / "files"
S3_BUCKET = env_str("S3_BUCKET", default="")
S3_ENDPOINT_URL = env_str("S3_ENDPOINT_URL", default="")
S3_PUBLIC_ENDPOINT_URL = env_str("S3_PUBLIC_ENDPOINT_URL", default="")
S3_REGION = env_str("S3_REGION", default="")
S3_ADDRESSING = env_choice("S3_ADDRESSING", ("auto", "path", "virtual"), default="auto")
S3_CHECKSUMS = env_bool("S3_CHECKSUMS", default=True)
S3_ENCRYPTION = env_choice("S3_ENCRYPTION", ("", "AES256", "aws:kms"), default="")
S3_KMS_KEY_ID = env_str("S3_KMS_KEY_ID", default="")
STORAGE_FREE_BYTES = env_int("STORAGE_FREE_BYTES", default=512 << 20, least=0)

STATIC_URL = "/static/"
STATIC_ROOT = (
    None if DEMO or DEBUG else Path(env_str("STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))).absolute()
)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": FILES_DIR},
    },
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEMO or DEBUG
            else "config.static_files.HashedStaticFiles"
        )
    },
}
# The demo serves from the source folders; production collects first (`manage.py collectstatic`).
WHITENOISE_USE_FINDERS = DEMO or DEBUG
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEMO or DEBUG else 60  # of names without a hash; the others are kept for ever

# --- Workers

LEASE_SECONDS = env_int("LEASE_SECONDS", default=60, least=1)
TICK_SECONDS = env_int("TICK_SECONDS", default=60, least=1)
CANARY_HUNG_SECONDS = env_int("CANARY_HUNG_SECONDS", default=120, least=1)
RECOVERY_SECONDS = env_int("RECOVERY_SECONDS", default=60, least=1)
SWEEP_SECONDS = env_int("SWEEP_SECONDS", default=60, least=1)
PIPELINE_WORKERS = env_int("PIPELINE_WORKERS", default=3, least=1)

Q_CLUSTER: dict[str, Any] = {
    "name": "ground",
    "orm": "default",
    "broker_class": "work.cluster.DeletingBroker",
    "workers": 1,
    "queue_limit": 1,  # nothing is taken before a worker is free, so nothing waits out of sight
    "bulk": 1,
    "poll": 0.5,
    "guard_cycle": 1,
    "timeout": None,  # steps have deadlines of their own
    "retry": 7 * 24 * 3600,  # never reached: the broker deletes what it takes
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": -1,
    "cache": "cluster_statistics",
    "ALT_CLUSTERS": {
        "pipelines": {
            "workers": PIPELINE_WORKERS,
            "queue_limit": PIPELINE_WORKERS,
            "scheduler": False,  # the one schedule, the tick, belongs to the ground
        }
    },
}
# django-q2 says so whenever its own timeout is off, which is meant here.
warnings.filterwarnings("ignore", message="Retry and timeout are misconfigured")

MAX_UPLOAD_BYTES = env_int("MAX_UPLOAD_BYTES", default=512 * 1024**2, least=1)
OUTBOUND_ALLOW = env_list("OUTBOUND_ALLOW", default=[])
# Who may read /metrics beside operators: whoever sends it as a bearer token; with none set, callers on this
# machine that no proxy speaks for.
METRICS_TOKEN = env_str("METRICS_TOKEN", default="")
API_RATE_PER_MINUTE = env_int("API_RATE_PER_MINUTE", default=600, least=1)
FILE_UPLOAD_HANDLERS = ["ingestion.receiving.LimitedUploadHandler"]

# --- People

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "config.sign_in.SignInAdapter"
ACCOUNT_FORMS = {"login": "accounts.sign_in_form.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # addresses are entered by managers, not by strangers
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(PUBLIC_BASE_URL).scheme
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/m/ip,5/m/key",
    "reset_password_from_key": "20/m/ip",
    "change_password": "5/m/user",
    "reauthenticate": "10/m/user",
    "signup": "1/m/ip",
}
ALLAUTH_TRUSTED_PROXY_COUNT = env_int("TRUSTED_PROXIES", default=0, least=0)
MFA_ADAPTER = "accounts.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Waybill"
REQUIRE_SECOND_FACTOR = env_bool("REQUIRE_SECOND_FACTOR", default=not DEMO)

# The demo's accounts are named by their roles and share this password.
DEMO_PASSWORD = env_str("DEMO_PASSWORD", default="waybill-demo")

# --- Mail

DEFAULT_FROM_EMAIL = env_str("MAIL_FROM", default="Waybill <waybill@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
locals().update(
    mail.mail_settings(env_str("EMAIL_URL", default="file:" if DEMO else "console:"), folder=VAR_DIR / "mail")
)

# --- Language and time

LANGUAGE_CODE = "en-gb"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- The catalogue

CATALOGUE_TITLE = env_str("CATALOGUE_TITLE", default="Open data")
CATALOGUE_DESCRIPTION = env_str(
    "CATALOGUE_DESCRIPTION", default="The datasets that are published here, with their files and versions."
)
CATALOGUE_PUBLISHER = env_str("CATALOGUE_PUBLISHER", default="Waybill")
CATALOGUE_LANGUAGE = env_str("CATALOGUE_LANGUAGE", default="en")  # of the three above
# Of an RDF4J repository (…/repositories/NAME), of a server with …/query and …/update, or, with a second
# address for updates, of any server's queries. Empty: the store that `manage.py up` starts.
TRIPLESTORE_URL = env_str("TRIPLESTORE_URL", default="")
TRIPLESTORE_UPDATE_URL = env_str("TRIPLESTORE_UPDATE_URL", default="")
TRIPLESTORE_USER = env_str("TRIPLESTORE_USER", default="")
TRIPLESTORE_PASSWORD = env_str("TRIPLESTORE_PASSWORD", default="")
TRIPLESTORE_TOKEN = env_str("TRIPLESTORE_TOKEN", default="")

# Further SHACL, in Turtle: a national profile. Without levels of their own, violations gate the high tier.
SHACL_EXTRA_SHAPES = env_list("SHACL_EXTRA_SHAPES", default=[])

# --- The browser's side of security

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not DEMO
SECURE_SSL_REDIRECT = env_bool("SECURE_SSL_REDIRECT", default=not DEMO)
# A load balancer asks these from inside, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz", r"^readyz", r"^metrics"]
SECURE_HSTS_SECONDS = 0 if DEMO else env_int("HSTS_SECONDS", default=365 * 24 * 3600, least=0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_HSTS_SECONDS > 0
if ALLAUTH_TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Logs

LOG_LEVEL = env_str("LOG_LEVEL", default="INFO").upper()
LOGGING_CONFIG = "config.logs.configure"
LOGGING = logs.LogSettings(level=LOG_LEVEL, as_json=env_bool("LOG_JSON", default=not DEMO))
