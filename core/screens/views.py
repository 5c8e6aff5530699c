"""What a screen is: a template, its scripts' texts, and the languages it can be shown in."""

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
    """The same page in each language, Catalan first: code, the language's own name, address."""
    query = request.GET.copy()
    found = []
    for code, _name in settings.LANGUAGES:
        query[LANGUAGE_PARAMETER] = code
        name = get_language_info(code)["name_local"].capitalize()
        found.append({"code": code, "name": name, "href": f"?{query.urlencode()}"})
    return found


@method_decorator(gzip_page, name="dispatch")
class Screen(TemplateView):
    """A page on `screens/base.html`. `texts` names the catalogues that its scripts use."""

    texts: ClassVar[tuple[str, ...]] = ()

    def catalogues(self) -> tuple[str, ...]:
        return self.texts

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        return super().get_context_data(
            **given,
            languages=languages(self.request),
            messages_for_scripts=texts.catalogue("base", *self.catalogues()),
            server_time=clock.now(),
            is_simulated=clock.is_simulated(),
            live_url=settings.LIVE_URL,
            version=settings.VERSION,
        )

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().get(request, *args, **kwargs)
        response.headers.setdefault("Cache-Control", "no-cache")
        return response
