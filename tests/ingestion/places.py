"""Addresses for tests of links, apart from the pages that stand there."""

from django.http import HttpResponse
from django.urls import path


def nothing(request, **places):
    return HttpResponse()


urlpatterns = [
    path("uploads/<uuid:pk>/", nothing, name="upload"),
    path("datasets/<slug:o>/<slug:d>/", nothing, name="dataset"),
]
