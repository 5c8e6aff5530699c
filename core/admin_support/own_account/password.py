"""Change one's own password in the admin. While others know it, the admin shows no other page."""

import dataclasses
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.acts import Act, Done, perform
from core.admin_support.forms import ActForm, NewPasswordMixin, password_field
from core.staff import accounts, powers
from core.staff.actor import StaffActor
from core.staff.models import User

# Addresses that are open before the person has set a password of their own.
_OPEN = ("admin:password_change", "admin:logout", "admin:set_language", "admin:jsi18n")


class _Form(NewPasswordMixin, ActForm):
    current = password_field(_("Present password"), new=False)
    password = password_field(_("New password"))
    password_again = password_field(_("New password, again"))


def _change(by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    accounts.password_change(by=by, current=data["current"], new=data["password"])
    return Done(_("The password is changed; your other sessions have ended."))


_ACT = Act(
    name="own_password",
    title=_("Change password"),
    power=powers.CHANGE_OWN_PASSWORD,
    run=_change,
    form=_Form,
    icon="key",
    review=False,
    atomic=False,
)


_FIRST = dataclasses.replace(
    _ACT,
    title=_("Set a password of your own"),
    text=_("Others know the password that you were given. Until you set another, nothing is open."),
)


def is_wanted(request: HttpRequest) -> bool:
    """Return whether the person must set a password of their own before they may see this page."""
    if not request.user.is_authenticated or not signed_on.is_live(request):
        return False
    match = request.resolver_match
    is_open = match is not None and match.view_name in _OPEN
    return not signed_on.actor(request).own_password and not is_open


def view(site: AdminSite, request: HttpRequest) -> HttpResponse:
    context = site.each_context(request)
    by = signed_on.actor(request)
    user = User.objects.get(pk=by.user_id)
    act = _ACT if by.own_password else _FIRST
    answer = perform(act, request, user, context, reverse("admin:index"))
    if answer.status_code == 302:
        update_session_auth_hash(request, User.objects.get(pk=user.pk))
    return answer
