"""Define the texts that the scripts of every screen use."""

from django.utils.translation import gettext_lazy as _

from core.screens.texts import Text

BASE: dict[str, Text] = {"close": _("Close")}
