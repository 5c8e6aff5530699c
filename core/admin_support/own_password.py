"""Change one's own password in the admin."""

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


def view(site: AdminSite, request: HttpRequest) -> HttpResponse:
    context = site.each_context(request)
    user = User.objects.get(pk=signed_on.actor(request).user_id)
    answer = perform(_ACT, request, user, context, reverse("admin:index"))
    if answer.status_code == 302:
        update_session_auth_hash(request, User.objects.get(pk=user.pk))
    return answer
