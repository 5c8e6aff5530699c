"""Set up one's own second factor in the admin. Until then the admin shows no other page."""

import segno
from django import forms
from django.contrib.admin import AdminSite
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from core.admin_support import signed_on
from core.admin_support.acts import Refusal
from core.kernel.errors import DomainError
from core.staff import second_factor
from core.staff.models import User
from core.staff.services import second_factor_of

# Addresses that are open before the second factor is set up.
_OPEN = ("admin:second_factor", "admin:logout", "admin:set_language", "admin:jsi18n")
_SESSION_KEY = "second_factor_shown"


class _Form(forms.Form):
    code = forms.CharField(
        label=_("Code that the device shows now"),
        max_length=6,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


def is_wanted(request: HttpRequest) -> bool:
    """Return whether the person must set up a second factor before they may see this page."""
    if not request.user.is_authenticated or not signed_on.is_live(request):
        return False
    by, match = signed_on.actor(request), request.resolver_match
    return by.own_password and not by.verified and (match is None or match.view_name not in _OPEN)


def view(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show a new secret, and confirm it by its first code. The browser session keeps it until
    then.

    Who has set one up elsewhere meanwhile signs on anew, with its code.
    """
    by = signed_on.actor(request)
    if by.verified:
        return HttpResponseRedirect(reverse("admin:index"))
    if second_factor_of(User.objects.get(pk=by.user_id)) is not None:
        logout(request)
        return HttpResponseRedirect(reverse("admin:login"))
    form, refusal = _Form(request.POST or None), None
    enrolment = request.session.get(_SESSION_KEY)
    if enrolment and request.method == "POST" and form.is_valid():
        try:
            second_factor.factor_confirm(by=by, code=form.cleaned_data["code"])
        except DomainError as error:
            refusal = Refusal.of(error)
        else:
            del request.session[_SESSION_KEY]
            return HttpResponseRedirect(reverse("admin:index"))
    if not enrolment:
        begun = second_factor.factor_begin(by=by)
        enrolment = request.session[_SESSION_KEY] = [begun.secret, begun.uri]
    secret, uri = enrolment
    picture = segno.make(uri).svg_inline(scale=5, light="white")
    context = site.each_context(request) | {
        "title": _("Second factor"),
        "form": form,
        "refusal": refusal,
        "secret": secret,
        "picture": mark_safe(picture),  # noqa: S308  (drawn by segno of a URI made by the server)
    }
    return TemplateResponse(request, "admin_support/second_factor.html", context)
