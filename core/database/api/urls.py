"""List the addresses of the system's clock under /api/v1/."""

from django.urls import path

from core.database.api import clock

urlpatterns = [
    path("clock", clock.Clock.as_view()),
]
