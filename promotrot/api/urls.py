"""List the addresses of Promotrot under /api/v1/promotrot/."""

from django.urls import URLPattern, path

from promotrot.api import counter, emission_urls, play_urls

urlpatterns: list[URLPattern] = [
    path("terminal/games", counter.Games.as_view()),
    path(
        "terminal/emissions/<int:emission>/display-acknowledgement",
        counter.Acknowledgement.as_view(),
    ),
    path("terminal/totals", counter.Totals.as_view()),
    *play_urls.urlpatterns,
    *emission_urls.urlpatterns,
]
