"""Define the admin site. It needs a live staff session and changes rows only through services."""

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import logout
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.i18n import set_language
from unfold.sites import UnfoldAdminSite

from core.admin_support import dashboard, navigation, places, search, signed_on
from core.admin_support.acts import Facts, Refusal
from core.admin_support.contents import Text
from core.admin_support.own_account import password, second_factor
from core.admin_support.own_account.sign_on import SignOnForm
from core.api import acting
from core.database import clock
from core.database.reading.limits import ReadingTooLong, limited
from core.kernel.errors import NotFound
from core.looks.recording import LookNotRecorded
from core.receipts.document import present_language
from core.receipts.formats import format_moment
from core.staff import devices
from core.staff.services import SignOnRefused
from core.traffic.limits import Throttled

IDLE_S = 30 * 60
BY_ITSELF = "X-By-Itself"  # of a request that a page makes while nobody touches it
View = Callable[..., Any]
_NOT_THEIRS = _("Your roles do not let you see this page or do this act.")
_NOTHING_THERE = _("There is no such page or row, or it is not for you.")
_TOO_OLD = _(
    "The page was open while somebody signed on or out in this browser. Nothing was done."
    " Open the page again."
)


class Site(UnfoldAdminSite):  # type: ignore[misc]  # unfold is not typed
    login_form = SignOnForm
    login_template = "admin_support/login.html"
    index_template = "admin_support/dashboard.html"
    index_title = _("Today")

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(super().has_permission(request)) and signed_on.is_live(request)

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Return the view so that each request extends the sign-on by half an hour, and what it
        writes is of the person who is signed on.

        A person whose password others know is sent to change it, and one without a second factor to
        set one up.
        """
        inner = super().admin_view(view, cacheable)

        @functools.wraps(inner)
        def kept(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.user.is_authenticated and BY_ITSELF not in request.headers:
                request.session.set_expiry(IDLE_S)
            if signed_on.is_live(request):
                by = signed_on.actor(request)
                acting.begin(request, staff=by.user_id, staff_session=by.session_id)
            if password.is_wanted(request):
                return HttpResponseRedirect(reverse("admin:password_change"))
            if second_factor.is_wanted(request):
                return HttpResponseRedirect(reverse("admin:second_factor"))
            try:
                response = _answered(inner, request, *args, **kwargs)
            except LookNotRecorded as error:
                return self.refusal(request, 503, _("Not shown"), error.message)
            except ReadingTooLong as error:
                return self.refusal(request, 409, _("Not shown"), error.message)
            except PermissionDenied:
                return self.refusal(request, 403, _("Not for your role"), _NOT_THEIRS)
            except (Http404, NotFound) as error:
                words, facts = _nothing_there(error)
                return self.refusal(request, 404, _("Nothing there"), words, facts)
            _remember_device(request, response)
            return response

        kept.is_of_a_person = True  # type: ignore[attr-defined]  # tests/core/journal/test_doors.py
        return kept

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [
            path("language/", set_language, name="set_language"),
            path(
                "second-factor/",
                self.admin_view(functools.partial(second_factor.view, self)),
                name="second_factor",
            ),
            path("waiting/", self.admin_view(dashboard.count), name="waiting"),
            path("find/", self.admin_view(search.view), name="find"),
            path("records/", self.admin_view(places.records), name="records"),
            path("places/<slug:name>/", self.admin_view(places.place), name="place"),
            *navigation.page_urls(self.admin_view),
            *super().get_urls(),
        ]

    def refusal(
        self, request: HttpRequest, status: int, title: Text, words: Text, facts: Facts = ()
    ) -> HttpResponse:
        """Return a page of the site that says why nothing is shown or done, with the way on.

        `facts` are pairs of a name and a value. There is no side bar for who is not signed on: that
        names the person.
        """
        context = self.each_context(request)
        context |= {"title": title, "words": gettext(str(words)), "facts": facts}
        context["is_nav_sidebar_enabled"] = request.user.is_authenticated
        page: HttpResponse = TemplateResponse(
            request, "admin_support/refused.html", context, status=status
        ).render()
        return page

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the program's version, which the foot of every page shows.

        The theme would write its colours into every page, which the content policy forbids: they
        are in `house.css`.
        """
        context: dict[str, Any] = super().each_context(request)
        return context | {"version": settings.VERSION, "colors": None}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the tables of one app, for its page; none for the rest of the pages.

        Django lists all of them for each page's side bar, which has the places instead.
        """
        return list(super().get_app_list(request, app_label)) if app_label else []

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show or take the sign-on form; a refusal for too many tries has the status 429.

        Where the account changed after its password was compared, the form is shown anew.
        """
        try:
            answer: HttpResponse = super().login(request, extra_context)
        except SignOnRefused:
            logout(request)
            return HttpResponseRedirect(request.get_full_path())
        form = (getattr(answer, "context_data", None) or {}).get("form")
        if form is not None and form.has_error(NON_FIELD_ERRORS, Throttled.code):
            answer.status_code = 429
            answer["Retry-After"] = "60"
        return answer

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        panels = dashboard.today(request)
        answer: HttpResponse = super().index(request, panels | (extra_context or {}))
        return answer

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return password.view(self, request)


def _answered(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
    """Return the view's answer. What only reads is rendered within the limit of readings."""
    if request.method not in ("GET", "HEAD"):
        return view(request, *args, **kwargs)
    with limited(), signed_on.shown_to(request):
        response = view(request, *args, **kwargs)
        return response.render() if isinstance(response, SimpleTemplateResponse) else response


def _nothing_there(error: Http404 | NotFound) -> tuple[Text, Facts]:
    """Return the words and the facts about what is not there."""
    if isinstance(error, Http404):
        return _NOTHING_THERE, ()
    why = Refusal.of(error)
    return why.message, why.facts


def form_too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that was drawn for another session. CSRF_FAILURE_VIEW names this."""
    refuse: Callable[..., HttpResponse] = admin.site.refusal  # type: ignore[attr-defined]
    return refuse(request, 403, _("Not done"), _TOO_OLD)


def _remember_device(request: HttpRequest, response: Any) -> None:
    """Set the cookie that says that this person gave the second factor here, if it is missing."""
    if not request.user.is_authenticated or not signed_on.is_live(request):
        return
    if not signed_on.actor(request).verified:
        return
    user = request.user
    name = devices.cookie_name(user.username)
    if name not in request.COOKIES:
        response.set_cookie(
            name,
            devices.device_token(user),
            max_age=devices.KEPT_S,
            path=reverse("admin:index"),
            secure=settings.PRODUCTION,
            httponly=True,
            samesite="Strict",
        )


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the places of the person. UNFOLD's SIDEBAR calls this.

    There are none before they have a password of their own and a second factor.
    """
    if not request.user.is_authenticated or not signed_on.is_live(request):
        return []
    by = signed_on.actor(request)
    return navigation.sidebar(request) if by.own_password and by.verified else []


def language_action(request: HttpRequest) -> str:
    """Return the address that takes a choice of language. UNFOLD's LANGUAGES calls this."""
    return reverse("admin:set_language")


def stylesheet(request: HttpRequest) -> str:
    """Return the address of the style sheet. UNFOLD's STYLES calls this."""
    return static("admin_support/house.css")


def cloths(request: HttpRequest) -> str:
    """Return the address of the colours of saddle cloths. UNFOLD's STYLES calls this."""
    return static("screens/cloths.css")


def script(request: HttpRequest) -> str:
    """Return the address of the script. UNFOLD's SCRIPTS calls this."""
    return static("admin_support/house.js")


def expressions(request: HttpRequest) -> str:
    """Return the address of the script that evaluates the theme's expressions. UNFOLD's SCRIPTS
    calls this.
    """
    return static("admin_support/expressions.js")


def mark(request: HttpRequest) -> str:
    """Return the address of the icon. UNFOLD's SITE_ICON and SITE_FAVICONS call this."""
    return static("screens/mark.svg")


def environment(request: HttpRequest) -> list[str] | None:
    """Return the notice of simulated time for every page, or None. UNFOLD's ENVIRONMENT calls
    this.
    """
    if not clock.is_simulated():
        return None
    now = format_moment(clock.now(), present_language())
    return [gettext("Simulated time: %(now)s") % {"now": now}, "warning"]
