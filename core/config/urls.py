"""Addresses of the whole system."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path

from core.api import health, metrics
from core.screens.live import live_file

GAMES = ("lototrot", "promotrot")

urlpatterns = [
    *[
        path(f"api/v1/{game}/", include(f"{game}.api.urls"))
        for game in GAMES
        if find_spec(f"{game}.api") and find_spec(f"{game}.api.urls")
    ],
    path("api/v1/", include("core.api.urls")),
    path("live/<str:name>", live_file),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics.view),
    path("admin/", admin.site.urls),
    path("", include("core.screens.urls")),
]

handler400 = "core.api.problems.bad_request"
handler403 = "core.api.problems.permission_denied"
handler404 = "core.api.problems.page_not_found"
handler500 = "core.api.problems.server_error"
