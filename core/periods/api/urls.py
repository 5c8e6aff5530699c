"""Addresses under /api/v1/ of closed periods."""

from django.urls import path

from core.periods.api import periods

urlpatterns = [
    path("periods", periods.Periods.as_view()),
    path("periods/proposals", periods.Proposals.as_view()),
    path("periods/names/proposals", periods.NameErasures.as_view()),
    path("periods/<int:number>/retirement/proposals", periods.Retirements.as_view()),
]
