"""Raise the alarms of the prize office."""

from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.payoffice import powers, selectors, sources
from core.payoffice.models import CashSession


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


def cash_not_received() -> list[AlarmRow]:
    """Return the cash sessions that were opened on an earlier day, and whose cash is in the drawer.

    Nobody has received it. Its cashier answers for it, as do those who know of it from here on.
    """
    today, _tomorrow = day_bounds(natural_day(clock.now()))
    sessions = CashSession.objects.filter(closed_at=None, opened_at__lt=today)
    words = _("Nobody has received what is in the drawer.")
    return [
        AlarmRow(session, session.opened_at, words=words)
        for session in sessions.select_related("cashier").order_by("pk")
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="payoffice_cash_not_received",
        title=_("A cash session of an earlier day is open"),
        power=powers.KEEP_CASH,
        rows=cash_not_received,
    ),
    Alarm(
        code="payoffice_deposit_unmatched",
        title=_("A deposit is not matched with its document"),
        power=powers.MATCH_DEPOSIT,
        rows=deposits_unmatched,
    ),
)
