"""Make the reports that every game shares: prizes won, prizes unclaimed, organiser's share."""

import datetime
from collections.abc import Iterator

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers
from core.kernel.days import day_bounds, natural_day
from core.kernel.regulation import shipped
from core.payoffice import sources
from core.payoffice.models import Payment
from core.payoffice.retired import PAYMENT_STAYS
from core.reports.tables import Column, Kind, Period, Picture, Report, Row

ABOUT_TO_LAPSE_DAYS = 7
# The sums of payments that left with a retired month are added to those that stay.
_PAYMENTS = f"""
SELECT (p.paid_at AT TIME ZONE 'Europe/Madrid')::date, c.game, p.place, m.code, p.means,
       p.amount_cents, count(*)
  FROM payoffice_payment p JOIN payoffice_claim c ON c.id = p.claim_id
  JOIN premises_premises m ON m.id = p.premises_id
 WHERE p.id >= %(first_row)s AND p.id < %(after_row)s AND p.paid_at >= %(since)s
   AND p.paid_at < %(until)s AND {PAYMENT_STAYS}
 GROUP BY 1, 2, 3, 4, 5, 6
 UNION ALL
SELECT l.day, l.game, l.place, m.code, l.means, l.amount_cents, l.payments
  FROM payoffice_left_by_premises l JOIN premises_premises m ON m.id = l.premises_id
 WHERE l.day >= %(first)s AND l.day <= %(last)s
"""

WON = Report(
    name="prizes-won",
    title=_("Prizes won, by tier"),
    order=20,
    about=_("By the day of the meeting or of the award; Lototrot's tiers are its categories."),
    columns=(
        Column("day", _("day"), Kind.DAY),
        Column("game", _("game")),
        Column("of", _("of")),
        Column("tier", _("tier")),
        Column("prizes", _("prizes"), Kind.WHOLE, summed=True),
        Column("each_cents", _("each"), Kind.CENTS),
        Column("total_cents", _("in all"), Kind.CENTS, summed=True),
    ),
    picture=Picture("tier", ["total_cents"]),
)
PAID = Report(
    name="payments",
    title=_("Paid, by place and tier"),
    order=21,
    about=_("By the day of payment; the tiers are those of 10.2: up to 120, below 300, from 300."),
    columns=(
        Column("day", _("day"), Kind.DAY),
        Column("game", _("game")),
        Column("place", _("place")),
        Column("premises", _("premises")),
        Column("tier", _("tier")),
        Column("means", _("means")),
        Column("documents", _("documents"), Kind.WHOLE, summed=True),
        Column("cents", _("amount"), Kind.CENTS, summed=True),
    ),
    picture=Picture("place", ["cents"]),
)
OUTS = Report(
    name="outs",
    title=_("Unclaimed, by age"),
    order=30,
    dated=False,
    about=_("What is owed now and nobody has claimed, by the last day to do so."),
    columns=(
        Column("game", _("game")),
        Column("last_day", _("last day"), Kind.DAY),
        Column("days_left", _("days left"), Kind.WHOLE),
        Column("standing", _("standing")),
        Column("documents", _("documents"), Kind.WHOLE, summed=True),
        Column("cents", _("amount"), Kind.CENTS, summed=True),
    ),
    picture=Picture("last_day", ["cents"]),
)
SHARE = Report(
    name="organiser-share",
    title=_("Organiser's share and specific tax"),
    order=50,
    about=_("Takings and how they were divided, by the day they were settled or closed for."),
    columns=(
        Column("day", _("day"), Kind.DAY),
        Column("game", _("game")),
        Column("of", _("of")),
        Column("takings_cents", _("takings"), Kind.CENTS, summed=True),
        Column("prizes_cents", _("to prizes"), Kind.CENTS, summed=True),
        Column("share_cents", _("organiser's share"), Kind.CENTS, summed=True),
        Column("commission_cents", _("for commissions"), Kind.CENTS, summed=True),
        Column("management_cents", _("for management"), Kind.CENTS, summed=True),
        Column("tax_cents", _("specific tax"), Kind.CENTS, summed=True),
        Column("remainder_cents", _("remainder"), Kind.CENTS, summed=True),
    ),
    picture=Picture("day", ["share_cents", "tax_cents"], line=True),
)


def paid(period: Period) -> Iterator[Row]:
    """Sum payments by the tier in which their amount fell on their day."""
    bounds = day_bounds(period.first)[0], day_bounds(period.last)[1]
    first_row, after_row = numbers(Payment, "paid_at", *bounds)
    asked = {
        "first": period.first,
        "last": period.last,
        "since": bounds[0],
        "until": bounds[1],
        "first_row": first_row,
        "after_row": after_row,
    }
    folded: dict[Row, list[int]] = {}
    for day, game, place, premises, means, cents, count in fetch_all(_PAYMENTS, asked):
        tiers = shipped().in_force(day).payment.tiers
        limits = [tier.up_to_cents for tier in tiers if tier.up_to_cents is not None]
        tier_number = 1 + sum(cents > limit for limit in limits)
        sums = folded.setdefault((day, game, place, premises, tier_number, means), [0, 0])
        sums[0], sums[1] = sums[0] + count, sums[1] + count * cents
    for key, sums in sorted(folded.items()):
        yield (*key, *sums)


def outs(period: Period) -> Iterator[Row]:
    today = natural_day(clock.now())
    for source in sources.all_sources():
        for out in source.outs():
            left = (out.last_claim_day - today).days if out.last_claim_day else None
            yield (
                source.game,
                out.last_claim_day,
                left,
                _standing(out.last_claim_day, today),
                out.documents,
                out.cents,
            )


def _standing(last: datetime.date | None, today: datetime.date) -> str:
    if last is None:
        return gettext("does not lapse")
    left = (last - today).days
    if left < 0:
        return gettext("lapses tonight")
    return gettext("about to lapse") if left < ABOUT_TO_LAPSE_DAYS else ""
