"""List the alarms of the apps below the alarms: premises.

These apps may not import the alarms, which stand above them in the layers of `pyproject.toml`.
"""

from django.db.models import F
from django.utils.translation import gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.premises import powers
from core.premises.models import TerminalCopy


def terminals_copied() -> list[AlarmRow]:
    """Return the terminals that are closed because a copy of their token was used."""
    signs = TerminalCopy.objects.filter(
        seen_at=F("terminal__copied_at"), terminal__revoked_at=None
    ).select_related("terminal")
    return [
        AlarmRow(sign.terminal, sign.seen_at, words=sign.get_sign_display())
        for sign in signs.order_by("pk")
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="premises_terminal_copied",
        title=gettext_lazy("A terminal's token was copied; enrol it again"),
        power=powers.REGISTER,
        rows=terminals_copied,
        immediate=True,
    ),
)
