"""Contribute the staff to the administration."""

from django.contrib.admin.models import LogEntry
from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Panel, Place, Section
from core.admin_support.proposal_texts import row_link
from core.staff.admin import queue, words
from core.staff.admin.proposals import decisions_waiting, proposals_panel, story, tasks_panel
from core.staff.models import Proposal, StaffSession, User

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("People"),
            90,
            Place.SETTINGS,
            (
                (Proposal, "group"),
                (User, "badge"),
                (StaffSession, "login"),
                (LogEntry, "history"),
            ),
        ),
    ),
    kind_titles={
        "staff.account": _("An account"),
        "staff.roles": _("Roles of a person"),
        "staff.reactivation": _("Opening an account again"),
        "staff.password": _("A password for a person"),
        "staff.second_factor": _("End of a second factor"),
    },
    content_readers={"user": row_link(User)},
    proposal_words=words.WORDS,
    key_names={
        "full_name": _("full name"),
    },
    waiting=decisions_waiting,
    pages=(queue.PAGE,),
    story=story,
    panels=(
        Panel(20, Place.SETTINGS, proposals_panel),
        Panel(40, Place.SETTINGS, tasks_panel),
    ),
)
