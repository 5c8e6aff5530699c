"""List the addresses of long work under /api/v1/."""

from django.urls import path

from core.longwork.api import work

urlpatterns = [
    path("long-work", work.Works.as_view()),
    path("long-work/<int:work>", work.OneWork.as_view()),
    path("long-work/<int:work>/file", work.WorkFile.as_view()),
]
