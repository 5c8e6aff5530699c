"""Contribute reports to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.reports.admin import PAGE
from core.reports.models import ReportOrder

ADMINISTRATION = Administration(
    sections=(
        Section(_("Reports by mail"), 77, Place.MONEY, ((ReportOrder, "forward_to_inbox"),)),
    ),
    pages=(PAGE,),
    tones={"sending": "info", "sent": "success"},
)
