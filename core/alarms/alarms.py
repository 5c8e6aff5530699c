"""List the alarms of the apps below the alarms: premises.

These apps may not import the alarms, which stand above them in the layers of `pyproject.toml`.
"""

import datetime

from django.db.models import F
from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.premises import powers
from core.premises.models import TerminalCopy

SHOWN_FOR = datetime.timedelta(days=1)


def terminals_copied() -> list[AlarmRow]:
    """Return the terminals that are closed because a copy of their token was used."""
    signs = TerminalCopy.objects.filter(
        seen_at=F("terminal__copied_at"), terminal__revoked_at=None
    ).select_related("terminal")
    return [
        AlarmRow(sign.terminal, sign.seen_at, words=sign.get_sign_display())
        for sign in signs.order_by("pk")
    ]


def tokens_unknown() -> list[AlarmRow]:
    """Return the terminals of the last day whose token was not known, and whose key was right."""
    signs = TerminalCopy.objects.filter(
        sign=TerminalCopy.Sign.UNKNOWN_TOKEN,
        seen_at__gt=clock.now() - SHOWN_FOR,
        terminal__revoked_at=None,
    ).exclude(terminal__enrolled_at__gt=F("seen_at"))
    newest = signs.order_by("terminal", "-seen_at", "-pk").distinct("terminal")
    words = gettext(
        "The database was restored to an earlier time and forgot its token, or its key was copied."
    )
    return [
        AlarmRow(sign.terminal, sign.seen_at, words=words)
        for sign in newest.select_related("terminal")
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="premises_terminal_copied",
        title=gettext_lazy("A terminal's token was copied; enrol it again"),
        power=powers.REGISTER,
        rows=terminals_copied,
        immediate=True,
    ),
    Alarm(
        code="premises_token_unknown",
        title=gettext_lazy("A terminal had a token that this database does not know"),
        power=powers.REGISTER,
        rows=tokens_unknown,
        immediate=True,
    ),
)
