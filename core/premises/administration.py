"""Contribute premises to the administration."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.admin_support.contents import Administration, Panel, Place, Section
from core.premises.admin import selecting, words
from core.premises.admin.pages import suspensions_panel
from core.premises.models import (
    Authorisation,
    Enrolment,
    Operator,
    OperatorSession,
    Premises,
    Resolution,
    Suspension,
    Terminal,
    TerminalCopy,
)

ADMINISTRATION = Administration(
    sections=(
        Section(
            pgettext_lazy("several", "Premises"),
            70,
            Place.PREMISES,
            (
                (Premises, "storefront"),
                (Authorisation, "verified"),
                (Terminal, "point_of_sale"),
                (Operator, "person"),
                (Suspension, "pause_circle"),
                (Resolution, "history"),
                (OperatorSession, "login"),
                (Enrolment, "qr_code"),
                (TerminalCopy, "content_copy"),
            ),
        ),
    ),
    panels=(Panel(30, Place.PREMISES, suspensions_panel),),
    kind_titles={
        "premises.opening": _("Premises, authorisations and terminals opened"),
        "premises.enrolment": _("Terminals that enrol anew"),
        "premises.resolution": _("Resolution with effect in the past"),
        "premises.suspending": _("Sales suspended at premises"),
        "premises.lifting": _("Suspensions of premises lifted"),
        "premises.resuming": _("Suspension by a resolution lifted"),
    },
    content_readers={"premises": words.place_link, "terminal": words.terminal_link},
    proposal_words=selecting.WORDS | words.WORDS,
    key_names={
        "authorisations": _("authorisations"),
    },
)
