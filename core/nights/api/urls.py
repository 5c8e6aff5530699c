"""Addresses under /api/v1/ of nights."""

from django.urls import path

from core.nights.api import nights

urlpatterns = [
    path("nights", nights.Nights.as_view()),
    path("nights/undone", nights.Undone.as_view()),
]
