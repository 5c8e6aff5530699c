"""List what waits for a person in Promotrot."""

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from promotrot import powers
from promotrot.selectors.plays import stranded


def _stranded() -> list[AlarmRow]:
    return [
        AlarmRow(
            subject=ticket,
            since=ticket.sold_at,
            words=_now("%(premises)s can no longer finish it.") % {"premises": ticket.premises},
        )
        for ticket in stranded()
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="promotrot_play_stranded",
        title=_("Plays that their premises can no longer finish"),
        power=powers.END_PLAY,
        rows=_stranded,
    ),
)
