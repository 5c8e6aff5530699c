"""Addresses under /api/v1/ of alarms."""

from django.urls import path

from core.alarms.api import alarms

urlpatterns = [path("alarms", alarms.Alarms.as_view())]
