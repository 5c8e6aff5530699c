"""Contribute the simulated clock to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Section
from core.database.models import ClockOffset

ADMINISTRATION = Administration(
    sections=(Section(_("System"), 100, ((ClockOffset, "schedule"),)),),
)
