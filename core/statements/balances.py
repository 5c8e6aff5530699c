"""Read what premises owe: from the ledger, now and by week, and of a statement.

A present balance is the balance of the last mark plus the few transfers since. Marks are made at
night, when no older transfer can appear any more. Where the transfers after a mark have left with a
retired month, the opening of the ledger stands in its place.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest, Least, TruncDate

from core.database import clock
from core.database.quiet import wait_for_quiet
from core.database.reading.asking import fetch_all, fetch_value
from core.database.reading.numbers import NO_END
from core.kernel.days import MADRID, day_bounds
from core.ledger import openings
from core.ledger.models import Account
from core.statements.columns import COMMISSION_KIND, Column, column_of
from core.statements.models import Mark, MarkedBalance, Remittance, Statement

PREFIX = "premises:"

# The accounts have the type of their column. Of another type they would be compared one by one with
# those of each transfer, and the planner would read all transfers that these accounts ever had.
_SINCE = """
SELECT account_id, sum(cents)::bigint FROM ledger_entry
 WHERE transfer_id > %(after)s AND transfer_id <= %(up_to)s
   AND account_id = ANY (%(accounts)s::bigint[])
 GROUP BY 1
"""
_WEEK = """
SELECT account_id, kind, (at AT TIME ZONE 'Europe/Madrid')::date, count(*), sum(cents)::bigint
  FROM ledger_entry
 WHERE transfer_id > %(after)s AND transfer_id <= %(up_to)s
   AND at >= %(since)s AND at < %(until)s AND kind <> %(commission)s
   AND account_id = ANY (%(accounts)s::bigint[])
 GROUP BY 1, 2, 3 ORDER BY 1, 3, 2
"""
_UNTIL = """
SELECT account_id, sum(cents)::bigint FROM ledger_entry
 WHERE transfer_id > %(after)s AND (at < %(until)s OR kind = %(commission)s)
   AND account_id = ANY (%(accounts)s::bigint[])
 GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Movement:
    """The transfers of one kind on one day. `cents` is what they add to the debt of the
    premises.
    """

    kind: str
    day: datetime.date
    count: int
    cents: int

    @property
    def game(self) -> str:
        return column_of(self.kind)[0]

    @property
    def column(self) -> Column:
        return column_of(self.kind)[1]


def premises_accounts() -> dict[int, int]:
    """Return the premises id by account id."""
    rows = Account.objects.filter(code__startswith=PREFIX).values_list("pk", "code")
    return {pk: int(code.removeprefix(PREFIX)) for pk, code in rows}


def mark_make() -> tuple[Mark, int]:
    """Make a mark up to the last possible transfer. Return it and the number of its balances.

    Wait for transactions in progress, so that no transfer below the mark can appear later.
    """
    up_to = int(fetch_value("SELECT coalesce(pg_sequence_last_value('ledger_transfer_id_seq'), 0)"))
    wait_for_quiet()
    last = Mark.objects.order_by("-up_to").first()
    if last is not None and last.up_to == up_to:
        return last, len(_marked(last))
    cents = _summed(last, up_to, premises_accounts())
    mark = Mark.objects.create(up_to=up_to, made_at=clock.now())
    parts: dict[int, dict[str, int]] = {}
    for account, held in sorted(cents.items()):
        if held:
            parts.setdefault(_part(account), {})[str(account)] = held
    MarkedBalance.objects.bulk_create(
        MarkedBalance(mark=mark, part=part, debts_cents=debts) for part, debts in parts.items()
    )
    return mark, sum(map(len, parts.values()))


def _part(account: int) -> int:
    return account // MarkedBalance.ACCOUNTS_OF_PART


def _marked(mark: Mark, accounts: Iterable[int] | None = None) -> dict[int, int]:
    """Return the debts of a mark by account id, of all accounts or of some; none that is zero.

    A debt in the part of other accounts counts for nothing, as the journal's rules do not see it.
    """
    rows = mark.balances.all()
    if accounts is not None:
        accounts = set(accounts)
        rows = rows.filter(part__in={_part(account) for account in accounts})
    debts = {
        int(account): cents
        for part, held in rows.values_list("part", "debts_cents")
        for account, cents in held.items()
        if _part(int(account)) == part
    }
    return debts if accounts is None else {a: debts[a] for a in accounts if a in debts}


def mark_differences(
    first: datetime.date | None = None, last: datetime.date | None = None
) -> list[dict[str, int]]:
    """Return the balances of marks that are not those of the mark before with the transfers since.

    Every mark made on those days is compared (default: all), and the newest one in any case. The
    first mark of all is compared with the sum of its transfers, so each proves the ones before. A
    mark whose transfers have left is not compared. A debt of an account that no premises have is a
    difference, of the premises 0.
    """
    chosen = Mark.objects.filter(up_to__gt=openings.newest()).order_by("up_to")
    if first is not None:
        chosen = chosen.filter(made_at__gte=day_bounds(first)[0])
    if last is not None:
        chosen = chosen.filter(made_at__lt=day_bounds(last)[1])
    newest = Mark.objects.filter(up_to__gt=openings.newest()).order_by("-up_to")[:1]
    marks = {mark.pk: mark for mark in (*chosen, *newest)}
    accounts = premises_accounts()
    return [each for mark in marks.values() for each in _differences(mark, accounts)]


def _differences(mark: Mark, accounts: Mapping[int, int]) -> list[dict[str, int]]:
    before = Mark.objects.filter(up_to__lt=mark.up_to).order_by("-up_to").first()
    marked = _marked(mark)
    summed = _summed(before, mark.up_to, accounts)
    return [
        {
            "premises": accounts.get(account, 0),
            "marked_cents": marked.get(account, 0),
            "ledger_cents": summed.get(account, 0),
        }
        for account in sorted({*accounts, *marked})
        if marked.get(account, 0) != summed.get(account, 0)
    ]


def _summed(mark: Mark | None, up_to: int, accounts: Mapping[int, int]) -> dict[int, int]:
    """Return the balances by account: those of a mark, with the transfers after it up to one."""
    after, cents = _begun(mark, accounts)
    for account, moved in _since(after, up_to, accounts):
        cents[account] = cents.get(account, 0) + moved
    return cents


def _begun(mark: Mark | None, accounts: Mapping[int, int]) -> tuple[int, dict[int, int]]:
    """Return the transfer up to which a mark sums balances, and these by account.

    The newest opening stands in for no mark, and for one up to it: a night may be deleting that.
    """
    after = openings.newest()
    if mark is not None and mark.up_to > after:
        return mark.up_to, _marked(mark, accounts)
    opened = openings.opened_cents(after)
    return after, {account: opened[account] for account in accounts if account in opened}


def balances_until(until: datetime.datetime, accounts: Mapping[int, int]) -> dict[int, int]:
    """Return what the transfers before an instant sum to, by account, commission included.

    Commission belongs to its week whenever it is posted. The sum begins at the last mark made
    before the instant; `mark_differences` proves the marks. Raises LedgerArchived.
    """
    openings.need_live(until)
    after, cents = _begun(_mark_before(until), accounts)
    parameters: dict[str, Any] = {
        "after": after,
        "until": until,
        "commission": COMMISSION_KIND,
        "accounts": list(accounts),
    }
    for account, moved in fetch_all(_UNTIL, parameters):
        cents[account] = cents.get(account, 0) + moved
    return cents


def _mark_before(instant: datetime.datetime) -> Mark | None:
    """Return the last mark made before an instant: all its transfers are from before."""
    return Mark.objects.filter(made_at__lte=instant).order_by("-up_to").first()


def _last_before(instant: datetime.datetime) -> int:
    """Return a transfer after which none is from before an instant.

    The first mark made after it has waited for every transaction from before, whose transfers are
    therefore in the second.
    """
    after = (
        Mark.objects.filter(made_at__gte=instant).order_by("up_to").values_list("up_to", flat=True)
    )
    return next(iter(after[1:2]), NO_END)


def transfers_within(since: datetime.datetime, until: datetime.datetime) -> tuple[int, int]:
    """Return two transfers: those of this time come after the first one, and up to the second."""
    before = _mark_before(since)
    return before.up_to if before else 0, _last_before(until)


def movements(
    first: datetime.date, last: datetime.date, accounts: Mapping[int, int]
) -> dict[int, list[Movement]]:
    """Return the movements of these days by premises id, kind and day, without commission.

    Raises LedgerArchived.
    """
    since, until = day_bounds(first)[0], day_bounds(last)[1]
    openings.need_live(since)
    after, up_to = transfers_within(since, until)
    parameters: dict[str, Any] = {
        "after": after,
        "up_to": up_to,
        "since": since,
        "until": until,
        "commission": COMMISSION_KIND,
        "accounts": list(accounts),
    }
    by_premises: dict[int, list[Movement]] = {}
    for account, *rest in fetch_all(_WEEK, parameters):
        by_premises.setdefault(accounts[account], []).append(Movement(*rest))
    return by_premises


def _since(after: int, up_to: int, accounts: Mapping[int, int]) -> list[tuple[int, int]]:
    return fetch_all(_SINCE, {"after": after, "up_to": up_to, "accounts": list(accounts)})


def with_outstanding(statements: QuerySet[Statement]) -> QuerySet[Any]:
    """Add `left_cents` to each statement: the part of it that is not paid yet.

    The newest one brings forward what those before it left, so payments of them since its week
    count for it. One before it is paid only while something of the newest is left, and the
    organiser never pays out more than that: what is brought forward is owed once.
    """
    newest = Statement.objects.filter(premises=OuterRef("premises")).order_by("-number")
    since = Remittance.objects.filter(premises=OuterRef("premises")).alias(
        day=TruncDate("recorded_at", tzinfo=MADRID)
    )
    figures = statements.alias(
        newest=Subquery(newest.values("number")[:1]),
        newest_week_to=Subquery(newest.values("week_to")[:1]),
        newest_cents=Subquery(newest.values("closing_cents")[:1])
        - _paid_cents(since.filter(day__gt=OuterRef("newest_week_to"))),
        own_cents=F("closing_cents")
        - _paid_cents(Remittance.objects.filter(statement=OuterRef("pk"))),
    )
    return figures.annotate(
        left_cents=Case(
            When(number=F("newest"), then=F("newest_cents")),
            When(own_cents__gt=0, newest_cents__gt=0, then=F("own_cents")),
            When(own_cents__gt=0, then=0),
            default=Greatest(F("own_cents"), Least(F("newest_cents"), 0)),
        )
    )


def alone_cents(statement: Statement) -> int:
    """Return what single persons recorded as paid of a statement, or for its premises since the
    week of their newest one: that brings forward what those before it left.
    """
    of_premises = Statement.objects.filter(premises=statement.premises_id)
    newest = of_premises.order_by("-number").values_list("week_to", flat=True)[0]
    since = day_bounds(newest)[1]
    alone = Remittance.objects.filter(premises=statement.premises_id, proposal=None)
    counted = alone.filter(Q(statement=statement) | Q(recorded_at__gte=since))
    return int(counted.aggregate(cents=Sum("amount_cents"))["cents"] or 0)


def _paid_cents(remittances: QuerySet[Remittance]) -> Coalesce:
    """Return the sum of the remittances as part of a query. The key groups them all as one."""
    summed = remittances.order_by().values(one=Value(1)).annotate(cents=Sum("amount_cents"))
    return Coalesce(Subquery(summed.values("cents")), 0, output_field=BigIntegerField())


def outstanding_cents(statement: Statement) -> int:
    """Return the part of a statement that is not paid yet (`with_outstanding`)."""
    same = Statement.objects.filter(pk=statement.pk)
    return int(with_outstanding(same).values_list("left_cents", flat=True).get())
