"""Every address of Waybill: the apps bring their own lists, the roof puts them together."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from config import gallery, help

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("help/", help.contents, name="help"),
    path("help/<slug:page>/", help.page, name="help_page"),
]
if settings.DEMO or settings.DEBUG:
    urlpatterns += gallery.urlpatterns
