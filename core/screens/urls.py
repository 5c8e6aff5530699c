"""Addresses of the screens."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
