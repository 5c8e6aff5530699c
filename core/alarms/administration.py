"""Show the alarms on the first page of those who can act on them."""

from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import NOTHING, link, moment
from core.admin_support.contents import Administration, Panel, Table
from core.alarms.kinds import AlarmRow
from core.alarms.selectors import standing_for

MOST_SHOWN = 50


def alarms_panel(request: HttpRequest) -> Table | None:
    """Return the alarms of the person, the most urgent first."""
    rows = standing_for(signed_on.actor(request)) if signed_on.is_live(request) else None
    if rows is None:
        return None
    return Table(
        title=_("Alarms"),
        icon="notifications_active",
        headers=(_("alarm"), _("subject"), _("since"), _("days left"), _("words")),
        rows=[(waiting.alarm.title, *_cells(waiting.row)) for waiting in rows[:MOST_SHOWN]],
        empty=_("Nothing waits for you."),
    )


def _cells(row: AlarmRow) -> tuple[object, ...]:
    subject = link(row.subject) if isinstance(row.subject, Model) else row.subject
    days_left = NOTHING if row.days_left is None else row.days_left
    return subject, moment(row.since), days_left, row.words


ADMINISTRATION = Administration(
    panels=(Panel(0, alarms_panel),),
    key_names={
        "alarms": _("alarms"),
        "subject": _("subject"),
        "since": _("since"),
        "days_left": _("days left"),
        "words": _("words"),
    },
)
