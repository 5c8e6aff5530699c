"""What the scripts of every screen may say."""

from django.utils.translation import gettext_lazy as _

from core.screens import texts


def define() -> None:
    texts.define("base", {"close": _("Close")})
