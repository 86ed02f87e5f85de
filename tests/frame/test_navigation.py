import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.urls import path

from tests.factories import UserFactory
from work import navigation


def nothing(request):
    return HttpResponse()


urlpatterns = [
    path("", nothing, name="home"),
    path("uploads/", nothing, name="uploads"),
    path("uploads/new/", nothing, name="upload_new"),
    path("health/", nothing, name="health_panel"),
]


@pytest.fixture(autouse=True)
def rail(settings, monkeypatch):
    settings.ROOT_URLCONF = __name__
    monkeypatch.setattr(navigation, "_entries", {})
    navigation.register("", "Overview", "home", order=1)
    navigation.register("Pipelines", "Uploads", "uploads", badge=lambda request: 12)
    navigation.register("Operation", "Health", "health_panel", permission=navigation.operators)
    navigation.register("Records", "Later", "a_page_that_comes_later")


@pytest.fixture
def ask(rf):
    def ask(url, user):
        request = rf.get(url)
        request.user = user
        return request

    return ask


def labels(sections):
    return [(section.title, [link.label for link in section.links]) for section in sections]


def test_rail_for_a_person_leaves_out_operation_and_missing_pages(ask):
    sections = navigation.sections(ask("/", UserFactory.build()))

    assert labels(sections) == [("", ["Overview"]), ("Pipelines", ["Uploads"])]


def test_rail_for_an_operator_shows_operation(ask):
    sections = navigation.sections(ask("/", UserFactory.build(operator=True)))

    assert ("Operation", ["Health"]) in labels(sections)


def test_rail_for_nobody_is_empty_and_offers_no_find_box(ask):
    context = navigation.rail(ask("/", AnonymousUser()))

    assert not context["rail"]
    assert context["find_url"] is None


@pytest.mark.parametrize(
    ("url", "current"),
    [
        ("/", {"Overview": "page", "Uploads": ""}),
        ("/uploads/", {"Overview": "", "Uploads": "page"}),
        ("/uploads/new/", {"Overview": "", "Uploads": "true"}),
        ("/elsewhere/", {"Overview": "", "Uploads": ""}),
    ],
)
def test_rail_marks_only_the_nearest_entry(ask, url, current):
    sections = navigation.sections(ask(url, UserFactory.build()))

    assert {link.label: link.current for section in sections for link in section.links} == current


def test_badge_is_asked_with_the_request(ask):
    uploads = navigation.sections(ask("/", UserFactory.build()))[1].links[0]

    assert uploads.count == 12


def test_register_twice_replaces_the_entry(ask):
    navigation.register("Pipelines", "All uploads", "uploads")

    sections = navigation.sections(ask("/", UserFactory.build()))

    assert ("Pipelines", ["All uploads"]) in labels(sections)


def test_register_in_an_unknown_section_is_refused():
    with pytest.raises(ValueError, match="no section 'Elsewhere'"):
        navigation.register("Elsewhere", "Lost", "home")
