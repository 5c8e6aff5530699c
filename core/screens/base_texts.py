"""What the scripts of every screen may say."""

from django.utils.translation import gettext_lazy as _

from core.screens.texts import Text

BASE: dict[str, Text] = {"close": _("Close")}
