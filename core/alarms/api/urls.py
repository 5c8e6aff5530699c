"""List the addresses of alarms under /api/v1/."""

from django.urls import path

from core.alarms.api import alarms

urlpatterns = [path("alarms", alarms.Alarms.as_view())]
