"""Answer what no view answered: problem+json under /api/, else a page in the reader's language."""

import sys
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.api import problems
from core.api.errors import InternalError
from core.api.limits import API
from core.screens.middleware import ADMIN
from core.screens.views import around, languages

_IN_WORDS: Final = {
    400: _("Your browser sent something that this site cannot read."),
    404: _("There is no page at this address."),
}
_NEXT: Final = {
    400: _("Open the page again from the start."),
    403: _("Sign on as somebody who may do it, or go back."),
    404: _("Look whether it is written as you were given it."),
    500: _("Try once more. If it happens again, tell the organiser the number below."),
    503: _("Wait a few seconds and load this page again."),
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer as Django's handler400, for faults before any view (a foreign Host, a broken body)."""
    return _answer(exception, request)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer as Django's handler403."""
    return _answer(exception, request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer as Django's handler404."""
    return _answer(exception, request)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer as Django's handler500, which is called while the exception is being handled.

    A page that needs a database that is away answers 503, as the API does.
    """
    return _answer(sys.exc_info()[1] or InternalError(), request)


def _answer(fault: BaseException, request: HttpRequest) -> HttpResponse:
    """Return the API's answer to a fault; outside the API, a page with its status and headers.

    The page asks nothing of the database, which may be what is away.
    """
    answer = problems.answer(fault, request)
    if request.path_info.startswith(API):
        return answer
    status = answer.status_code
    is_of_staff = request.path_info.startswith(ADMIN)
    context: dict[str, Any] = around() | {
        "languages": [] if is_of_staff else languages(request),
        "home": ADMIN if is_of_staff else "/",
        "words": _IN_WORDS.get(status) or gettext(problems.domain_error(fault).message),
        "next": _NEXT.get(status, ""),
        "number": getattr(request, "request_id", "") if status == 500 else "",
    }
    answer.content = render_to_string("screens/error.html", context)
    answer["Content-Type"] = "text/html; charset=utf-8"
    return answer
