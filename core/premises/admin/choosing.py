"""Choose one of thousands of premises in a form, by typing, among those that the server finds."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse_lazy
from django.utils.http import urlencode
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from core.premises.models import Premises

_FOUND_BY = {
    "app_label": "premises",
    "model_name": "authorisation",
    "field_name": "premises",
}


class PremisesField(forms.CharField):
    """A field for premises by their code, alone or with the name after it, as it is offered.

    The page asks the admin's autocompletion (`typeahead.js`), which offers premises to those who
    may read them; without it the code is typed. The clean value is `Premises`, or None.
    """

    default_error_messages = {"unknown": _("No premises has this code.")}

    def __init__(self, **kwargs: Any) -> None:
        address = format_lazy("{}?{}", reverse_lazy("admin:autocomplete"), urlencode(_FOUND_BY))
        attrs = {"data-typeahead": address, "autocomplete": "off", "spellcheck": "false"}
        super().__init__(max_length=200, widget=forms.TextInput(attrs=attrs), **kwargs)

    def clean(self, value: Any) -> Any:
        typed = super().clean(value)
        if not typed:
            return None
        place = Premises.objects.filter(code__iexact=typed.split()[0]).first()
        if place is None:
            raise ValidationError(self.error_messages["unknown"], code="unknown")
        return place
