"""Every address of Waybill: the apps bring their own lists, the roof puts them together."""

from importlib.util import find_spec

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from config import find, gallery, help
from config.api import api

urlpatterns = [
    path("accounts/", include("accounts.sign_in_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("find/", find.find, name="find"),
    path("help/", help.contents, name="help"),
    path("help/<slug:page>/", help.page, name="help_page"),
]
urlpatterns += [
    path("", include(urls))
    for urls in ("config.home_urls", "work.urls", "accounts.urls", "ingestion.urls")
    if find_spec(urls)
]
if settings.DEMO or settings.DEBUG:
    urlpatterns += gallery.urlpatterns
