"""Report the debts of premises by age: a payment settles the oldest weeks first (14.III.6.1)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.database.reading.asking import fetch_all
from core.kernel.days import add_days, natural_day
from core.premises.models import Premises
from core.reports.tables import Column, Kind, Period, Picture, Report, Row
from core.statements.guarantee import covers
from core.statements.models import Statement

AGES_DAYS = (7, 30, 90)
"""The last day of each age, from the day on which a week of sales ended; the rest is older."""

# What each premises was charged since its last statement: its debt now, less that of the statement,
# and with what it paid meanwhile.
_SINCE = """
SELECT s.premises_id, s.closing_cents, coalesce((
        SELECT sum(r.amount_cents) FROM statements_remittance r
         WHERE r.premises_id = s.premises_id
           AND r.recorded_at >= (s.week_to + 1)::timestamp AT TIME ZONE 'Europe/Madrid'), 0)::bigint
  FROM (SELECT DISTINCT ON (premises_id) premises_id, week_to, closing_cents
          FROM statements_statement ORDER BY premises_id, week_to DESC) s
"""
BY_AGE = Report(
    name="premises-debts",
    title=_("Owed by premises, by age"),
    order=40,
    dated=False,
    about=_(
        "What premises owe now. Each week's net sales are as old as the days since its Sunday; what"
        " was paid settles the oldest week first."
    ),
    columns=(
        Column("premises", _("premises")),
        Column("name", _("name")),
        Column("to_7_days_cents", _("up to 7 days"), Kind.CENTS, summed=True),
        Column("to_30_days_cents", _("8 to 30 days"), Kind.CENTS, summed=True),
        Column("to_90_days_cents", _("31 to 90 days"), Kind.CENTS, summed=True),
        Column("older_cents", _("over 90 days"), Kind.CENTS, summed=True),
        Column("owed_cents", _("owed"), Kind.CENTS, summed=True),
        Column("limit_cents", _("limit"), Kind.CENTS),
    ),
    picture=Picture("premises", ["owed_cents"]),
)


def aged(owed_cents: int, charges: Iterable[tuple[int, int]]) -> list[int]:
    """Return a debt divided by `AGES_DAYS`, in cents, the newest first; the last part is older.

    `charges` are pairs of an age in days and the cents charged then, the newest first. Payments
    settle the oldest first, so that what is still owed is of the newest charges.
    """
    parts = [0] * (len(AGES_DAYS) + 1)
    left_cents = owed_cents
    for age_days, cents in charges:
        taken_cents = min(left_cents, max(0, cents))
        parts[sum(age_days > limit for limit in AGES_DAYS)] += taken_cents
        left_cents -= taken_cents
    parts[-1] += left_cents
    return parts


def by_age(period: Period) -> Iterator[Row]:
    """Yield the premises that owe, who owes most first. Those that are owed money are left out."""
    owing = [cover for cover in covers() if cover.balance_cents > 0]
    charges = _charges({cover.premises_id: cover.balance_cents for cover in owing})
    names = _names(list(charges))
    for cover in sorted(owing, key=lambda cover: (-cover.balance_cents, cover.premises_id)):
        parts = aged(cover.balance_cents, charges[cover.premises_id])
        yield (*names[cover.premises_id], *parts, cover.balance_cents, cover.limit_cents)


def _charges(owed_cents: dict[int, int]) -> dict[int, list[tuple[int, int]]]:
    """Return the charges of each premises by age, the newest first: since its last statement, then
    week by week as far back as an age is told.
    """
    today = natural_day(clock.now())
    last = {premises: (closing, paid) for premises, closing, paid in fetch_all(_SINCE)}
    charges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for premises, owed in owed_cents.items():
        closing_cents, paid_cents = last.get(premises, (0, 0))
        charges[premises].append((0, owed - closing_cents + paid_cents))
    weeks = Statement.objects.filter(week_to__gte=add_days(today, -AGES_DAYS[-1]))
    columns = ("premises_id", "week_to", "opening_cents", "settled_cents", "closing_cents")
    for premises, week_to, opening, settled, closing in (
        weeks.filter(premises__in=list(owed_cents)).order_by("-week_to").values_list(*columns)
    ):
        charges[premises].append(((today - week_to).days, closing - opening - settled))
    return charges


def _names(premises: list[int]) -> dict[int, tuple[str, str]]:
    rows = Premises.objects.filter(pk__in=premises).values_list("pk", "code", "name")
    return {pk: (code, name) for pk, code, name in rows}
