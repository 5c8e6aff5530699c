"""Contribute the nightly jobs to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.nights.models import JobRun

KEY_NAMES = {
    "job": _("job"),
    "day": _("day"),
    "attempts": _("attempts"),
    "attempt": _("attempt"),
    "counts": _("what it did"),
    "listed": _("to be looked at"),
    "error": _("what went wrong"),
    "failed_at": _("failed at"),
}

ADMINISTRATION = Administration(
    sections=(Section(_("Nights"), 75, Place.PROOF, ((JobRun, "bedtime"),)),),
    key_names=KEY_NAMES,
    tones={"running": "info", "done": "success", "failed": "danger"},
)
