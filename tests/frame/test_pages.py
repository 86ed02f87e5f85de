"""The gallery, the help pages and the error pages; and what no template of ours may hold."""

import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from work import badges
from work.templatetags import waybill

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "js"


def sources():
    return {str(path.relative_to(TEMPLATES)): path.read_text() for path in TEMPLATES.rglob("*.html")}


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a style attribute", r"<[^>]*\sstyle="),
        ("a style element", r"<style"),
        ("an inline script", r"<script(?![^>]*\ssrc=)"),
        ("an event attribute", r"<[^>]*\son[a-z]+="),
        ("script in htmx attributes", r"hx-(?:on|vals='js:|trigger=\"[^\"]*\[)"),
    ],
)
def test_no_template_holds(what, pattern):
    found = [name for name, text in sources().items() if re.search(pattern, text, re.IGNORECASE)]

    assert found == [], f"{what} is refused by the content security policy"


def test_every_component_is_shown_somewhere_in_the_gallery_or_the_frame():
    text = "".join(
        text for name, text in sources().items() if name.startswith(("gallery/", "base.html", "_components/"))
    )

    shown = set(re.findall(r"{% (\w+)", text))
    assert set(waybill.register.tags) - shown == set()


def test_every_script_is_short_and_loaded():
    loaded = sources()["_components/_scripts.html"]
    imported = "".join(path.read_text() for path in SCRIPTS.glob("*.js"))

    for path in SCRIPTS.glob("*.js"):
        assert len(path.read_text().splitlines()) <= 40
        assert f"js/{path.name}" in loaded or f"./{path.name}" in imported


@pytest.mark.django_db
def test_gallery_draws_every_component(client):
    response = client.get(reverse("gallery"), {"status": "failed"})

    assert response.status_code == 200
    assert response.content.decode().count("<h1") == 1


@pytest.mark.django_db
def test_help_lists_every_registered_state(client, monkeypatch):
    monkeypatch.setattr(badges, "_machines", {})
    badges.register(
        "upload", title="Uploads", badges={"failed": badges.Badge("bad", "Failed", "Nothing is stored.")}
    )

    text = client.get(reverse("help_page", args=["states"])).content.decode()

    assert "Nothing is stored." in text
    assert all(meaning in text for meaning in badges.SHAPES.values())


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["base", "nothing"])
def test_help_page_that_is_none_is_not_found(client, page):
    assert client.get(reverse("help_page", args=[page])).status_code == 404


@pytest.mark.parametrize("template", ["400.html", "500.html"])
def test_page_for_an_error_needs_no_context(template):
    assert "<h1>" in render_to_string(template)


@pytest.mark.django_db
@pytest.mark.parametrize("template", ["403.html", "403_csrf.html", "404.html", "429.html"])
def test_page_for_a_refusal_stands_in_the_frame(rf, django_user_model, template):
    request = rf.get("/nowhere/")
    request.user = django_user_model(username="maja")

    html = render_to_string(template, {"exception": ""}, request=request)

    assert 'href="/"' in html
    assert "Read at" not in html
