"""Contribute Lototrot's contests and tickets to the closing of a period, and to its archive.

Tickets that won nothing, were annulled as errors, or whose prize was paid at a terminal or lapsed
leave with their month (docs/adr/0046, 0052, 0057). Each row that follows from a ticket leaves
after it. Declarations of display leave with the month of their contest (docs/adr/0075).
"""

import datetime

from django.db.models import Max, QuerySet

from core.kernel.canonical import Json
from core.kernel.days import day_bounds
from core.payoffice.models import Deposit
from core.periods.archive.tables import ArchiveTable
from core.periods.parts import PeriodPart, Row
from lototrot.models.contest import Contest


def waits(first: datetime.date, last: datetime.date) -> list[Row]:
    """Return the contests of those days that are not ordered, or whose prizes have not lapsed.

    Return also how many deposits wait that may be of a ticket of those days: it may have lapsed,
    and is restored when the deposit is matched [C8].
    """
    rows: list[Row] = []
    for contest in _contests(first, last).select_related("lapse"):
        if contest.state != Contest.State.ORDERED:
            rows.append({"code": "not_ordered", "contest": contest.pk})
        elif not hasattr(contest, "lapse"):
            rows.append({"code": "not_lapsed", "contest": contest.pk})
    last_day = _contests(first, last).aggregate(day=Max("lapse__last_claim_day"))["day"]
    if last_day is not None:
        in_time = Deposit.objects.filter(deposited_at__lt=day_bounds(last_day)[1])
        waiting = in_time.filter(match=None, ruling=None).count()
        if waiting:
            rows.append({"code": "deposits_unmatched", "deposits": waiting})
    return rows


def figures(first: datetime.date, last: datetime.date) -> Json:
    """Return each contest with its seal, which stands for every ticket, and its prizes in cents."""
    rows: list[Json] = []
    for contest in _contests(first, last).select_related("seal", "payment_order__settlement"):
        settlement = contest.payment_order.settlement
        rows.append(
            {
                "contest": contest.pk,
                "day": contest.day.isoformat(),
                "tickets": contest.seal.tickets,
                "takings_cents": contest.seal.takings_cents,
                "root": bytes(contest.seal.root).hex(),
                "winning_tickets": settlement.winning_tickets,
                "prizes_cents": settlement.prizes_cents,
            }
        )
    return rows


def _contests(first: datetime.date, last: datetime.date) -> QuerySet[Contest]:
    chosen = Contest.objects.filter(day__gte=first, day__lte=last)
    return chosen.exclude(state__in=Contest.NEVER_ON_SALE).order_by("day", "pk")


PERIOD_PARTS = (PeriodPart("lototrot", waits, figures),)

_NEVER = ", ".join(f"'{state}'" for state in Contest.NEVER_ON_SALE)
_CONTESTS = (
    "SELECT c.id FROM lototrot_contest c WHERE c.day >= %(first)s AND c.day <= %(last)s"
    f" AND c.state NOT IN ({_NEVER})"
)
_OF_TICKET = (
    "t.ticket_id IN (SELECT k.id FROM lototrot_ticket k WHERE k.contest_id IN (" + _CONTESTS + "))"
)
_LATER = """
EXISTS (SELECT FROM lototrot_ticket k JOIN lototrot_contest c ON c.id = k.contest_id
         WHERE k.id = t.ticket_id AND c.day > %(last)s)
"""
# A ticket whose print stays must stay, for the print names it.
_TICKET_LATER = """
(EXISTS (SELECT FROM lototrot_contest c WHERE c.id = t.contest_id AND c.day > %(last)s)
 OR EXISTS (SELECT FROM lototrot_printconfirmation p
             WHERE p.ticket_id = t.id
               AND p.ticket_id > %(last_lototrot_printconfirmation)s))
"""
# What follows from a ticket leaves after it: its rows are of the same retirement or a later one.
_LATER_TICKET = "> %(last_lototrot_ticket)s"
_PAYMENT_LATER = f"""
(t.paid_at >= %(until)s
 OR EXISTS (SELECT FROM payoffice_claim k WHERE k.id = t.claim_id AND k.game = 'lototrot'
               AND k.document_id {_LATER_TICKET}))
"""
_CLAIM_LATER = f"""
(t.opened_at >= %(until)s OR t.game = 'lototrot' AND t.document_id {_LATER_TICKET}
 OR EXISTS (SELECT FROM payoffice_payment p
             WHERE p.claim_id = t.id AND p.id > %(last_payoffice_payment)s))
"""
# Only an error's void leaves, and with its ticket. One of a later month stays: a sale may go on
# after midnight, and the commission of that week is counted again from its voids.
_VOID_LATER = f"t.reason = 'error' AND (t.voided_at >= %(until)s OR {_LATER})"
# The few claims that somebody has to decide are read, and not every print. One that is presented or
# granted waits for its bearer, who may never come: its ticket stays, and holds nothing back.
_HELD = """
t.ticket_id IN (SELECT k.document_id FROM payoffice_claim k WHERE k.game = 'lototrot'
                   AND k.state IN ('early', 'held'))
"""

ARCHIVE_TABLES = (
    ArchiveTable("lototrot_contest", f"t.id IN ({_CONTESTS})"),
    ArchiveTable(
        "lototrot_displayacknowledgement",
        stays="EXISTS (SELECT FROM lototrot_contest c"
        " WHERE c.id = t.contest_id AND c.day > %(last)s)",
    ),
    ArchiveTable("lototrot_seal", f"t.contest_id IN ({_CONTESTS})"),
    ArchiveTable(
        "lototrot_ticket",
        f"t.contest_id IN ({_CONTESTS})",
        stays=_TICKET_LATER,
        after=("lototrot_printconfirmation",),
        claimed_as="lototrot",
    ),
    ArchiveTable(
        "lototrot_void",
        _OF_TICKET,
        stays=_VOID_LATER,
        with_rows="lototrot_ticket",
        with_column="ticket_id",
    ),
    ArchiveTable("lototrot_block", _OF_TICKET),
    ArchiveTable(
        "lototrot_prize",
        _OF_TICKET,
        stays=f"t.ticket_id {_LATER_TICKET}",
        after=("lototrot_ticket",),
    ),
    ArchiveTable("lototrot_reprint", _OF_TICKET),
    ArchiveTable("lototrot_codegiven", _OF_TICKET),
    ArchiveTable("lototrot_unprinted", f"t.contest_id IN ({_CONTESTS})"),
    ArchiveTable("lototrot_printconfirmation", stays=_LATER, held=_HELD, key="ticket_id"),
    # Of the prize office: claims on tickets, and their payments, leave after the tickets.
    ArchiveTable(
        "payoffice_payment",
        "t.paid_at >= %(since)s AND t.paid_at < %(until)s",
        stays=_PAYMENT_LATER,
        after=("lototrot_ticket",),
    ),
    ArchiveTable(
        "payoffice_claim",
        "t.opened_at >= %(since)s AND t.opened_at < %(until)s",
        stays=_CLAIM_LATER,
        after=("lototrot_ticket", "payoffice_payment"),
    ),
)
