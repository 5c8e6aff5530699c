"""Show the holder of a paper the state of its code, without sign-on."""

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.panels import holder_panels
from core.screens.views import Screen


class Check(Screen):
    """Take a code that is typed, scanned by a scanner or the camera, or written after `#`.

    Browsers do not send the part of the address after `#` to the server.
    """

    template_name = "screens/check.html"

    def catalogues(self) -> tuple[str, ...]:
        return ("check", "prizes", *[panel.texts for panel in holder_panels()])

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        config = {"games": {panel.name: static(panel.module) for panel in holder_panels()}}
        return super().get_context_data(**context, config=config, panels=holder_panels())


TEXTS: dict[str, texts.Text] = {
    "loading": _("Loading…"),
    "line_lost": _("No connection"),
    "not_checked": _("Not checked: no connection"),
    "not_checked_why": _("It says nothing about the ticket. This page tries again by itself."),
    "remember": _("Remember this ticket on this phone."),
    "remember_why": _("Anyone who opens this phone can then see it and be paid."),
    "remembered": _("Remembered on this phone"),
    "camera_open": _("Scan with the camera"),
    "camera_close": _("Close the camera"),
    "camera_refused": _("The camera cannot be used."),
    "proof_get": _("Get the proof that it was sealed"),
    "proof_save": _("Save the proof"),
    "proof_title": _("Sealed"),
    "proof_why": _(
        "When sales closed, all tickets were sealed under one number that was published. "
        "With this file and the code, anyone can check that yours is among them: nothing "
        "was added, changed or taken away."
    ),
    "proof_place": _("Place among the tickets sealed"),
    "proof_root": _("Number that was published"),
    "proof_entry": _("Entry of the public log"),
    "log_contained": _("The log is the same: entry {n} is as printed, and it goes on from there."),
    "log_rewritten": _("THE LOG WAS REWRITTEN, or this slip is not from here."),
    "log_missing": _("The log that is shown has no entry {n}."),
    "log_different": _("Entry {n} of the log that is shown is another than the one printed."),
    "log_broken": _("The entries after {n} do not follow from it."),
    "log_keep": _("Keep the slip and show it to the gaming authority."),
    "log_now": _("The log now"),
    "proof_none": _("There is no proof yet: tickets are sealed when sales close."),
}
