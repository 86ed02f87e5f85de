import pytest
from django.template import Context, Engine, Origin, Template


def rendered(path):
    return Template("[{{ nobody_gave_this }}]", origin=Origin(str(path)), engine=Engine.get_default()).render(
        Context()
    )


def test_missing_variable_in_our_own_template_fails_the_test(settings):
    with pytest.raises(
        AssertionError, match=r"page\.html asks for a variable that does not exist: nobody_gave_this"
    ):
        rendered(settings.BASE_DIR / "templates" / "page.html")


def test_missing_variable_in_a_stock_template_is_empty(tmp_path):
    assert rendered(tmp_path / "stock.html") == "[]"
