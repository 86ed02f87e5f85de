import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import env_bool, env_choice, env_int, env_list, env_str


def test_str_missing_names_variable_and_hint(monkeypatch):
    monkeypatch.delenv("PLACE", raising=False)

    with pytest.raises(ImproperlyConfigured, match=r"PLACE is not set\. Name a town\."):
        env_str("PLACE", hint="Name a town.")


@pytest.mark.parametrize("text", ["", "   "])
def test_str_blank_counts_as_missing(monkeypatch, text):
    monkeypatch.setenv("PLACE", text)

    assert env_str("PLACE", default="here") == "here"


def test_int_reads_number(monkeypatch):
    monkeypatch.setenv("SIZE", " 12 ")

    assert env_int("SIZE", default=3) == 12


@pytest.mark.parametrize(
    ("text", "problem"), [("twelve", "not a whole number"), ("1.5", "whole number"), ("0", "at least 1")]
)
def test_int_malformed_or_too_small_is_refused(monkeypatch, text, problem):
    monkeypatch.setenv("SIZE", text)

    with pytest.raises(ImproperlyConfigured, match=problem):
        env_int("SIZE", default=3, least=1)


@pytest.mark.parametrize(
    ("text", "meant"), [("true", True), ("Yes", True), ("1", True), ("off", False), ("0", False)]
)
def test_bool_understands_usual_words(monkeypatch, text, meant):
    monkeypatch.setenv("LIT", text)

    assert env_bool("LIT", default=not meant) is meant


def test_bool_other_word_is_refused(monkeypatch):
    monkeypatch.setenv("LIT", "maybe")

    with pytest.raises(ImproperlyConfigured, match="LIT is neither true nor false: 'maybe'"):
        env_bool("LIT", default=True)


def test_bool_default_false_counts(monkeypatch):
    monkeypatch.delenv("LIT", raising=False)

    assert env_bool("LIT", default=False) is False


def test_list_drops_blanks_and_empty_parts(monkeypatch):
    monkeypatch.setenv("HOSTS", " a.example, ,b.example,")

    assert env_list("HOSTS") == ["a.example", "b.example"]


def test_choice_takes_one_of_its_words(monkeypatch):
    monkeypatch.setenv("WAY", "path")

    assert env_choice("WAY", ("auto", "path"), default="auto") == "path"


def test_choice_of_another_word_names_those_there_are(monkeypatch):
    monkeypatch.setenv("WAY", "sideways")

    with pytest.raises(ImproperlyConfigured, match=r"WAY is 'sideways'\. It may be one of: auto, path\."):
        env_choice("WAY", ("", "auto", "path"), default="")
