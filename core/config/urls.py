"""List the addresses of the system.

Each app keeps its API beside its services, in `api/urls.py`. The addresses of a game begin with its
name.
"""

from django.contrib import admin
from django.urls import URLResolver, include, path

from core.api import metrics
from core.config import health
from core.config.routes import as_tree
from core.contributions import contributions_by_app
from core.screens.live import live_file


def _apis() -> list[URLResolver]:
    """Return the addresses of every app that has a module `api.urls`."""
    return [
        path("" if app.name.startswith("core.") else f"{app.label}/", include(addresses))
        for app, addresses in contributions_by_app("api.urls", "urlpatterns").items()
    ]


admin.autodiscover()  # the pages of every app: only a process with addresses needs them
urlpatterns = [
    path("api/v1/", include(as_tree([*_apis(), path("", include("core.api.urls"))]))),
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
