"""Contribute the staff to the administration."""

from django.contrib.admin.models import LogEntry
from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Panel, Section
from core.staff.admin import proposals_panel, tasks_panel
from core.staff.models import Proposal, StaffSession, User

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("People"),
            90,
            (
                (Proposal, "group"),
                (User, "badge"),
                (StaffSession, "login"),
                (LogEntry, "history"),
            ),
        ),
    ),
    panels=(
        Panel(20, proposals_panel),
        Panel(40, tasks_panel),
    ),
)
