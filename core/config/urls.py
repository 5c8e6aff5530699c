"""List the addresses of the system.

Each app keeps its API beside its services, in `api/urls.py`. The addresses of a game begin with its
name.
"""

from typing import NoReturn

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest
from django.urls import URLPattern, URLResolver, include, path, re_path

from core.api import metrics
from core.api.limits import SALES
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


def _administration() -> URLPattern | URLResolver:
    """Return the addresses of the administration, with the pages of every app.

    A process for sales loads no page: `core.api.limits` refuses all of them there.
    """
    if settings.PROCESS_ROLE == SALES:
        return re_path("^admin/", _no_page)
    admin.autodiscover()
    return path("admin/", admin.site.urls)


def _no_page(_: HttpRequest) -> NoReturn:
    raise Http404


urlpatterns = [
    path("api/v1/", include(as_tree([*_apis(), path("", include("core.api.urls"))]))),
    path("live/<str:name>", live_file),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("metrics", metrics.view),
    _administration(),
    path("", include("core.screens.urls")),
]

handler400 = "core.screens.error_pages.bad_request"
handler403 = "core.screens.error_pages.permission_denied"
handler404 = "core.screens.error_pages.page_not_found"
handler500 = "core.screens.error_pages.server_error"
