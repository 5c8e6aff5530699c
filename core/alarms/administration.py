"""Show the alarms on the first page of those who can act on them."""

from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import link
from core.admin_support.contents import Administration, Waiting
from core.alarms.selectors import standing_for


def alarms_waiting(request: HttpRequest) -> list[Waiting]:
    """Return the alarms on which the person can act, the most urgent first."""
    rows = standing_for(signed_on.actor(request)) if signed_on.is_live(request) else None
    return [
        Waiting(
            title=standing.alarm.title,
            subject=(
                link(standing.row.subject)
                if isinstance(standing.row.subject, Model)
                else standing.row.subject
            ),
            since=standing.row.since,
            days_left=standing.row.days_left,
            words=standing.row.words,
            immediate=standing.alarm.immediate,
        )
        for standing in rows or ()
    ]


ADMINISTRATION = Administration(
    waiting=alarms_waiting,
    key_names={
        "alarms": _("alarms"),
        "since": _("since"),
        "days_left": _("days left"),
        "words": _("words"),
    },
)
