"""Contribute long work to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.longwork.models import LongWork

ADMINISTRATION = Administration(
    sections=(Section(_("Long work"), 76, Place.PROOF, ((LongWork, "hourglass_top"),)),),
    key_names={
        "audits": _("audits"),
        "found": _("found"),
        "sound": _("sound"),
        "jobs": _("jobs"),
    },
    tones={"waiting": "info", "cut_off": "danger"},
)
