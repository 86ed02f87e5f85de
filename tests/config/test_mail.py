import pytest
from django.core.exceptions import ImproperlyConfigured

from config.mail import mail_settings


def test_smtp_address_encrypts_by_starttls(tmp_path):
    settings = mail_settings("smtp://me:p%40ss@mail.example", folder=tmp_path)

    assert settings == {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "me",
        "EMAIL_HOST_PASSWORD": "p@ss",
        "EMAIL_USE_SSL": False,
        "EMAIL_USE_TLS": True,
        "EMAIL_TIMEOUT": 20,
    }


def test_smtps_encrypts_from_the_start(tmp_path):
    settings = mail_settings("smtps://mail.example", folder=tmp_path)

    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_SSL"], settings["EMAIL_USE_TLS"]) == (
        465,
        True,
        False,
    )


def test_file_without_a_path_goes_to_the_folder(tmp_path):
    assert mail_settings("file:", folder=tmp_path)["EMAIL_FILE_PATH"] == str(tmp_path)


def test_unknown_beginning_is_refused_with_the_shape(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="unknown beginning: 'pigeon'"):
        mail_settings("pigeon://loft", folder=tmp_path)
