"""Every address of Waybill: the apps bring their own lists, the roof puts them together."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from config import find, gallery, help
from config.api import api

handler500 = "config.failing.on_error"
urlpatterns = [
    path("accounts/", include("accounts.sign_in_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("find/", find.find, name="find"),
    path("help/", help.contents, name="help"),
    path("help/<slug:page>/", help.page, name="help_page"),
    path("", include("config.home_urls")),
    path("", include("accounts.urls")),
    path("", include("ingestion.urls")),
    path("", include("work.urls")),
]
if settings.DEMO or settings.DEBUG:
    urlpatterns += gallery.urlpatterns
