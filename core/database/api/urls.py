"""Addresses under /api/v1/ of the system's clock."""

from django.urls import path

from core.database.api import clock

urlpatterns = [
    path("clock", clock.Clock.as_view()),
]
