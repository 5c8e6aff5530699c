"""Contribute the simulated clock, and the state of the machines, to the administration."""

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin_support import signed_on
from core.admin_support.contents import Administration, Panel, Place, Section, Table
from core.database.machines import Machines, machines
from core.database.models import ClockOffset


def machines_panel(request: HttpRequest) -> Table | None:
    """Return the state of the machines in words, for everybody who has signed on."""
    if not signed_on.is_live(request):
        return None
    state = machines()
    return Table(
        title=_("Machines"),
        icon="dns",
        headers=(_("part"), _("state")),
        rows=[
            (_("Database"), _second(state)),
            (_("Archive of the log"), _archive(state)),
            (_("Workers"), _workers(state)),
        ],
        empty="",
    )


def _second(state: Machines) -> object:
    if state.without_second:
        return _("Takes sales, without a second machine: if this one is lost, the last are lost.")
    return ngettext(
        "Takes sales; each is on a second machine before it is answered (%(n)s follows).",
        "Takes sales; each is on a second machine before it is answered (%(n)s follow).",
        state.replicas,
    ) % {"n": state.replicas}


def _archive(state: Machines) -> object:
    if not state.archived:
        return _("Not archived: nothing can be restored to an instant.")
    if state.archive_failing:
        return _("Fails: look at the disk of the archive.")
    return _("Is archived.")


def _workers(state: Machines) -> object:
    if state.works:
        return _("Answer.")
    return _("No worker has answered for a minute: closings and settlements wait.")


ADMINISTRATION = Administration(
    sections=(Section(_("System"), 100, Place.SETTINGS, ((ClockOffset, "schedule"),)),),
    panels=(Panel(90, Place.SETTINGS, machines_panel),),
)
