"""Define the texts that the scripts of every screen use."""

from django.utils.translation import gettext_lazy as _

from core.screens.texts import Text

BASE: dict[str, Text] = {
    "close": _("Close"),
    # Translators: a race by its racecourse and its number there: "Son Pardo, race 4".
    "race_at": _("{racecourse}, race {race}"),
}
