"""Raise the alarms of the prize office."""

from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import powers, selectors, sources


def deposits_unmatched() -> list[AlarmRow]:
    """Return the deposits whose document nobody has identified, each with where its paper is.

    The days left are those to the first lapse that could be its document's: matched before it, its
    money is held and does not pass to another meeting [C8].
    """
    today = natural_day(clock.now())
    rows = []
    for unmatched in selectors.unmatched_deposits():
        deposit, place = unmatched.deposit, unmatched.paper_at
        last = sources.first_lapse(natural_day(deposit.deposited_at))
        rows.append(
            AlarmRow(
                deposit,
                deposit.deposited_at,
                None if last is None else (last - today).days,
                words=_("The paper is at %(code)s %(name)s.")
                % {"code": place.code, "name": place.name},
            )
        )
    return rows


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="payoffice_deposit_unmatched",
        title=_("A deposit is not matched with its document"),
        power=powers.MATCH_DEPOSIT,
        rows=deposits_unmatched,
    ),
)
