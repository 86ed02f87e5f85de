from django.urls import path

from config import home

urlpatterns = [path("", home.home, name="home")]
