"""Define the base class of screens: a template, its scripts' texts and its languages."""

from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import get_language_info
from django.views.decorators.gzip import gzip_page
from django.views.generic import TemplateView

from core.database import clock
from core.screens import texts
from core.screens.middleware import LANGUAGE_PARAMETER


def languages(request: HttpRequest) -> list[dict[str, str]]:
    """Return links to the same page in each language, Catalan first: code, the language's own name,
    address.
    """
    query = request.GET.copy()
    links = []
    for code, _name in settings.LANGUAGES:
        query[LANGUAGE_PARAMETER] = code
        name = get_language_info(code)["name_local"].capitalize()
        links.append({"code": code, "name": name, "href": f"?{query.urlencode()}"})
    return links


def around() -> dict[str, Any]:
    """Return what the head and the foot of every page show, without a look into the database."""
    return {
        "live_url": settings.LIVE_URL,
        "version": settings.VERSION,
        "organiser": {"name": settings.ORGANISER_NAME, "contact": settings.ORGANISER_CONTACT},
    }


@method_decorator(gzip_page, name="dispatch")
class Screen(TemplateView):
    """Serve a page based on `screens/base.html`. `texts` names the catalogues that its scripts
    use.
    """

    texts: ClassVar[tuple[str, ...]] = ()
    for_terminals: ClassVar[bool] = False

    def catalogues(self) -> tuple[str, ...]:
        return self.texts

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return super().get_context_data(
            **context,
            **around(),
            languages=languages(self.request),
            messages_for_scripts=texts.catalogue("base", *self.catalogues()),
            server_time=clock.now(),
            is_simulated=clock.is_simulated(),
        )

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().get(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-cache")
        return response
