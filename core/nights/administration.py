"""Contribute the nightly jobs to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.nights.models import JobRun

ADMINISTRATION = Administration(
    sections=(Section(_("Nights"), 75, Place.PROOF, ((JobRun, "bedtime"),)),),
    tones={"running": "info", "done": "success", "failed": "danger"},
)
