"""Sign on to the admin with name, password and the code of the second factor."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.forms import AuthenticationForm
from unfold.widgets import UnfoldAdminTextInputWidget

from core.traffic.limits import Throttled


class SignOnForm(AuthenticationForm):  # type: ignore[misc]  # unfold is not typed
    """The sign-on form. A refusal does not say which of the three values was wrong."""

    code = forms.CharField(
        label=_("One-time code"),
        max_length=6,
        required=False,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}
        ),
        help_text=_("Of your second factor. Leave it empty if you have none yet."),
    )

    def clean(self) -> dict[str, Any]:
        names = ("username", "password", "code")
        credentials = {name: self.cleaned_data.get(name, "") for name in names}
        try:
            self.user_cache = authenticate(self.request, **credentials)
        except Throttled as error:
            raise ValidationError(
                _("Too many requests; wait a little."), code=error.code
            ) from error
        if self.user_cache is None:
            raise ValidationError(_("Name, password or code is not right."), code="sign_on_refused")
        self.confirm_login_allowed(self.user_cache)
        return dict(self.cleaned_data)
