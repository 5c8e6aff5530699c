"""Contribute the watch of the clock to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.timekeeping.models import Incident, Reading

ADMINISTRATION = Administration(
    sections=(
        Section(_("Clock"), 97, Place.SETTINGS, ((Incident, "timer_off"), (Reading, "timer"))),
    ),
    tones={"behind_record": "danger", "references": "danger"},
)
