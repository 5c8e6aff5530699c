"""Give the reports Promotrot's figures."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers
from core.kernel.days import day_bounds, natural_day
from core.ledger.organiser import Part
from core.premises.models import Game
from core.reports import money
from core.reports.tables import Column, Kind, Period, Report, Reports, Row, Sold
from promotrot import postings
from promotrot.engine import shortfall
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.selectors.closing import stated_closing
from promotrot.selectors.debts import Stage, debts
from promotrot.selectors.left import STAYS

# A play whose price is due back was sold, and its price taken out of the takings again.
_SOLD = f"""
SELECT (t.sold_at AT TIME ZONE 'Europe/Madrid')::date, t.premises_id, t.terminal_id, count(*),
       sum(t.price_cents)::bigint, 0,
       coalesce(sum(t.price_cents) FILTER (WHERE e.cause = 'refund'), 0)::bigint
  FROM promotrot_playticket t LEFT JOIN promotrot_playend e ON e.ticket_id = t.id
 WHERE t.id >= %(from)s AND t.id < %(end)s
   AND t.sold_at >= %(since)s AND t.sold_at < %(until)s AND {STAYS} GROUP BY 1, 2, 3
 UNION ALL
SELECT l.day, l.premises_id, l.terminal_id, count(*), sum(m.price_cents)::bigint, 0, 0
  FROM promotrot_left_plays l JOIN promotrot_emission m ON m.id = l.emission_id
 WHERE l.day >= %(first)s AND l.day <= %(last)s GROUP BY 1, 2, 3
"""
# An extra prize has a row of its own: of a pre-drawn ticket it is the prize, else it comes on top.
_WON = """
SELECT (e.ended_at AT TIME ZONE 'Europe/Madrid')::date, %s, m.reference, w.tier, count(*), NULL,
       sum(w.cents)::bigint
  FROM promotrot_playend e JOIN promotrot_playticket t ON t.id = e.ticket_id
  JOIN promotrot_emission m ON m.id = t.emission_id
  CROSS JOIN LATERAL (
       VALUES (e.tier::text, e.awarded_cents),
              ('+' || CASE e.extra_tier WHEN 0 THEN e.tier ELSE e.extra_tier END, e.extra_cents)
       ) w (tier, cents)
 WHERE e.id >= %s AND e.id < %s AND e.ended_at >= %s AND e.ended_at < %s AND w.cents > 0
 GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
"""


def sold(period: Period) -> Iterator[Sold]:
    since, until = day_bounds(period.first)[0], day_bounds(period.last)[1]
    first, end = numbers(PlayTicket, "sold_at", since, until)
    asked = {
        "from": first,
        "end": end,
        "since": since,
        "until": until,
        "first": period.first,
        "last": period.last,
    }
    for row in fetch_all(_SOLD, asked):
        yield Sold(Game.PROMOTROT, *row)


def won(period: Period) -> Iterable[Row]:
    """Return the awards by emission and tier. The name of an extra prize's tier begins with a
    plus.
    """
    bounds = [day_bounds(period.first)[0], day_bounds(period.last)[1]]
    between = numbers(PlayEnd, "ended_at", *bounds)
    return fetch_all(_WON, [Game.PROMOTROT.value, *between, *bounds])


def share(period: Period) -> Iterator[Row]:
    """Return the organiser's share of each closing, less the awards beyond the minimum."""
    closed = Emission.objects.filter(
        closing__closed_at__gte=day_bounds(period.first)[0],
        closing__closed_at__lt=day_bounds(period.last)[1],
    ).select_related("closing")
    for emission in closed.order_by("closing__closed_at", "pk"):
        closing = stated_closing(emission)
        if closing is None:
            continue
        statement = shortfall.state(closing)
        parts = postings.closing_parts(statement, natural_day(emission.planned_at))
        organiser_cents = sum(parts.values())
        yield (
            natural_day(emission.closing.closed_at),
            Game.PROMOTROT,
            emission.reference,
            statement.takings_cents,
            statement.takings_cents - organiser_cents,
            organiser_cents,
            *(parts[part] for part in Part),
        )


STAGES = {
    Stage.EXTRA: _("For extra prizes of the next emission"),
    Stage.ANNOUNCED: _("Its draw is announced"),
    Stage.HELD: _("Drawn, vouchers wait"),
    Stage.AGAIN: _("Lapsed, to be drawn again"),
    Stage.LAST: _("Lapsed after the last draw"),
    Stage.AUTHORITY: _("Before the authority"),
}
DEBTS = Report(
    name="promotrot-debts",
    title=_("Promotrot: owed to prizes, by age"),
    order=55,
    dated=False,
    about=_("What games owe to prizes now, oldest first; never the organiser's (15.III.6.2)."),
    columns=(
        Column("game", _("game")),
        Column("stage", _("stage")),
        Column("since", _("since"), Kind.MOMENT),
        Column("days", _("days"), Kind.WHOLE),
        Column("cents", _("amount"), Kind.CENTS, summed=True),
    ),
)


def owed(period: Period) -> Iterator[Row]:
    """Return the debts to prizes, oldest first, each with its age in days [P17]."""
    now = clock.now()
    for debt in debts():
        days = (now - debt.since).days
        yield debt.game.code, str(STAGES[debt.stage]), debt.since, days, debt.cents


REPORTS = Reports(
    defined=(DEBTS,),
    rows={
        money.WON.name: won,
        money.SHARE.name: share,
        DEBTS.name: owed,
    },
    sold=sold,
)
