"""Contribute Lototrot's reports, and its rows in the reports of both games."""

from collections.abc import Iterable, Iterator

from django.db import connection
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers
from core.kernel.days import day_bounds
from core.ledger.openings import need_live
from core.premises.models import Game
from core.reports import money
from core.reports.tables import Column, Kind, Period, Picture, Report, Reports, Row, Sold
from lototrot.accounts import Part
from lototrot.models.settlement import Settlement, SettlementCategory
from lototrot.models.tickets import Ticket
from lototrot.selectors.retired import stays

# Of void tickets only errors left with a retired month.
_SOLD = f"""
SELECT (t.sold_at AT TIME ZONE 'Europe/Madrid')::date, t.premises_id, t.terminal_id, count(*),
       sum(t.amount_cents)::bigint,
       coalesce(sum(t.amount_cents) FILTER (WHERE v.reason = 'error'), 0)::bigint,
       coalesce(sum(t.amount_cents) FILTER (WHERE v.reason <> 'error'), 0)::bigint
  FROM lototrot_ticket t LEFT JOIN lototrot_void v ON v.ticket_id = t.id
 WHERE t.id >= %(from)s AND t.id < %(end)s
   AND t.sold_at >= %(since)s AND t.sold_at < %(until)s AND {stays()} GROUP BY 1, 2, 3
 UNION ALL
SELECT l.day, l.premises_id, l.terminal_id, sum(l.tickets + l.annulled_tickets)::bigint,
       sum(l.amount_cents + l.annulled_cents)::bigint, sum(l.annulled_cents)::bigint, 0
  FROM lototrot_left_by_terminal l WHERE l.day >= %(first)s AND l.day <= %(last)s GROUP BY 1, 2, 3
"""
# Every transfer of the jackpots and reserves, in order, with the balance after it. The first one is
# added to what the last retired month left.
_HISTORY = """
WITH account AS (
    SELECT id, split_part(code, ':', 2) AS chain, split_part(code, ':', 3) AS what
      FROM ledger_account
     WHERE code LIKE 'lototrot:%%:jackpot' OR code LIKE 'lototrot:%%:reserve'),
opened AS (SELECT coalesce(max(up_to), 0) AS up_to FROM ledger_openingbalance),
moved AS (
    SELECT e.transfer_id AS id, e.at, e.kind, e.reference, a.chain, a.what, -e.cents AS cents,
           coalesce(o.credit_cents - o.debit_cents, 0) AS opened_cents
      FROM account a
      JOIN ledger_entry e ON e.account_id = a.id AND e.transfer_id > (SELECT up_to FROM opened)
      LEFT JOIN ledger_opening o
        ON o.account_id = a.id AND o.up_to = (SELECT up_to FROM opened)),
standing AS (
    SELECT m.*, opened_cents + sum(cents) OVER (PARTITION BY chain, what ORDER BY id) AS after
      FROM moved m)
SELECT s.at, s.chain, c.day, s.what, s.kind, s.cents, s.after::bigint
  FROM standing s
  LEFT JOIN lototrot_settlement l ON l.uuid = s.reference
  LEFT JOIN lototrot_contest c ON c.id = l.contest_id
 WHERE s.at >= %s AND s.at < %s ORDER BY s.id
"""
# Each kind of transfer in words, for readers of the history.
EXPLAINED = {
    "lototrot.jackpot_in": _("Carried into the meeting's 7/7 (9.4)"),
    "lototrot.jackpot_out": _("Not won: accumulates for the next meeting (9.5)"),
    "lototrot.reserve_share": _("10 % of the prize money: the jackpot was above the limit (9.3)"),
    "lototrot.unwon": _("The lowest category was not won (9.5)"),
    "lototrot.reserve_in": _("Increases the 7/7 of this meeting's winners (9.8)"),
    "lototrot.rounding": _("Cents left over by the rounding of prizes (9.6)"),
    "lototrot.reversal": _("A settlement was reversed to correct a result (5.3)"),
}
HISTORY = Report(
    name="jackpot-history",
    title=_("Jackpot and reserve"),
    order=40,
    about=_("Every movement of the accumulated 7/7 and of its reserve fund, with its reason."),
    columns=(
        Column("at", _("time"), Kind.MOMENT),
        Column("chain", _("bet type")),
        Column("meeting", _("meeting"), Kind.DAY),
        Column("fund", _("fund")),
        Column("why", _("why")),
        Column("cents", _("amount"), Kind.CENTS),
        Column("after_cents", _("balance after"), Kind.CENTS),
    ),
)
CARRIED = Report(
    name="jackpot-by-meeting",
    title=_("Jackpot and reserve, by meeting"),
    order=41,
    about=_(
        "Jackpot and reserve before and after each meeting, and the prizes carried over into it."
    ),
    columns=(
        Column("day", _("meeting"), Kind.DAY),
        Column("chain", _("bet type")),
        Column("jackpot_in_cents", _("7/7 carried in"), Kind.CENTS),
        Column("lapsed_in_cents", _("unclaimed carried over"), Kind.CENTS),
        Column("jackpot_out_cents", _("7/7 left"), Kind.CENTS),
        Column("reserve_in_cents", _("reserve carried in"), Kind.CENTS),
        Column("reserve_out_cents", _("reserve left"), Kind.CENTS),
    ),
    picture=Picture("day", ["jackpot_out_cents", "reserve_out_cents"], line=True),
)


def sold(period: Period) -> Iterator[Sold]:
    with connection.cursor() as cursor:
        since, until = day_bounds(period.first)[0], day_bounds(period.last)[1]
        begin, end = numbers(Ticket, "sold_at", since, until)
        days = {"first": period.first, "last": period.last, "since": since, "until": until}
        cursor.execute(_SOLD, {**days, "from": begin, "end": end})
        for row in cursor.fetchall():
            yield Sold(Game.LOTOTROT, *row)


def won(period: Period) -> Iterable[Row]:
    """Yield the winning bets by category of the settlements in force."""
    categories = SettlementCategory.objects.filter(
        settlement__in_force=True,
        settlement__contest__day__gte=period.first,
        settlement__contest__day__lte=period.last,
    ).select_related("settlement__contest")
    for category in categories.order_by("settlement__contest__day", "settlement_id", "-hits"):
        contest = category.settlement.contest
        yield (
            contest.day,
            Game.LOTOTROT,
            contest.bet_type_code,
            f"{category.hits}/{category.settlement.rules['legs']}",
            category.winning_bets,
            category.prize_cents,
            category.total_cents,
        )


def share(period: Period) -> Iterable[Row]:
    """Yield the organiser's share of the settlements in force, and its division."""
    for settlement in _in_force(period):
        parts = settlement.figures["organiser_parts"]
        yield (
            settlement.contest.day,
            Game.LOTOTROT,
            settlement.contest.bet_type_code,
            settlement.takings_cents,
            settlement.figures["prize_pool"],
            settlement.figures["organiser_share"],
            *(parts[part] for part in Part),
        )


def history(period: Period) -> Iterator[Row]:
    """Yield the movements of jackpots and reserves. Raises LedgerArchived."""
    need_live(day_bounds(period.first)[0])
    names = {"jackpot": gettext("jackpot"), "reserve": gettext("reserve fund")}
    bounds = [day_bounds(period.first)[0], day_bounds(period.last)[1]]
    for at, chain, day, what, kind, cents, after in fetch_all(_HISTORY, bounds):
        yield (at, chain, day, names[what], str(EXPLAINED.get(kind, kind)), cents, after)


def carried(period: Period) -> Iterator[Row]:
    for settlement in _in_force(period):
        yield (
            settlement.contest.day,
            settlement.contest.bet_type_code,
            settlement.jackpot_in_cents,
            settlement.lapsed_in_cents,
            settlement.jackpot_out_cents,
            settlement.reserve_in_cents,
            settlement.reserve_out_cents,
        )


def _in_force(period: Period) -> Iterable[Settlement]:
    settlements = Settlement.objects.filter(
        in_force=True, contest__day__gte=period.first, contest__day__lte=period.last
    )
    return settlements.select_related("contest").order_by("contest__day", "pk")


REPORTS = Reports(
    defined=(HISTORY, CARRIED),
    rows={
        money.WON.name: won,
        money.SHARE.name: share,
        HISTORY.name: history,
        CARRIED.name: carried,
    },
    sold=sold,
)
