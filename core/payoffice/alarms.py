"""Raise the alarms of the prize office."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.payoffice import powers, selectors, sources
from core.payoffice.models import CashSession
from core.payoffice.services.cash import CLOSING, subject_of
from core.receipts.document import present_language
from core.receipts.formats import format_cents
from core.staff.models import Decision, Proposal


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


def counts_that_differ() -> list[AlarmRow]:
    """Return the last count of each open cash session that another person than its cashier counted
    with a difference. It stands here also when it was rejected, has lapsed, or a payment made it
    void, until the session is closed.
    """
    sessions = {
        subject_of(session): session
        for session in CashSession.objects.filter(closed_at=None).select_related("cashier")
    }
    counts = Proposal.objects.filter(kind=CLOSING.name, subject__in=sessions).order_by("pk")
    differing = {
        each.subject: each
        for each in counts.exclude(content__difference_cents=0).select_related(
            "proposed_by", "decision__decided_by"
        )
        if each.proposed_by_id != sessions[each.subject].cashier_id
    }
    return [
        AlarmRow(sessions[subject], count.proposed_at, words=_count_words(count))
        for subject, count in differing.items()
    ]


def _count_words(count: Proposal) -> str:
    decision: Decision | None = getattr(count, "decision", None)
    language = present_language()
    words = gettext("%(who)s counted %(counted)s, and the books had %(expected)s.") % {
        "who": count.proposed_by,
        "counted": format_cents(count.content["counted_cents"], language),
        "expected": format_cents(count.content["expected_cents"], language),
    }
    if decision is None:
        return words
    return f"{words} " + gettext("%(who)s rejected it.") % {"who": decision.decided_by}


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="payoffice_cash_not_received",
        title=_("A cash session of an earlier day is open"),
        power=powers.KEEP_CASH,
        rows=cash_not_received,
    ),
    Alarm(
        code="payoffice_count_differs",
        title=_("A drawer that is open was counted with a difference"),
        power=powers.READ,
        rows=counts_that_differ,
    ),
    Alarm(
        code="payoffice_deposit_unmatched",
        title=_("A deposit is not matched with its document"),
        power=powers.MATCH_DEPOSIT,
        rows=deposits_unmatched,
    ),
)
