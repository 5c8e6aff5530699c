"""Close a month: one person proposes its figures, another one who audits confirms them.

A month can be closed once everything of it is finished: its contests are ordered and lapsed, its
vouchers paid or lapsed. Its figures are published, so that a person who changes a row of it later
must change the public log too. Months are closed in their order, each once. All rows of a month are
counted when it is proposed and again when it is confirmed, so a worker does both
(`core.longwork`), and no request. They wait for the transactions that started in the month, which
may still write into it.
"""

import calendar
import datetime
from functools import partial

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.database.quiet import wait_for_quiet
from core.database.reading import progress
from core.database.reading.limits import limited
from core.database.reading.snapshot import only_reading
from core.database.reading.standby import read_much
from core.kernel.days import add_days, day_bounds, natural_day
from core.kernel.errors import Conflict
from core.ledger.blocks import in_blocks
from core.ledger.models import Transfer
from core.periods import powers
from core.periods.figures import Figures, figures
from core.periods.models import ClosedPeriod, PeriodBalance
from core.periods.parts import Row, all_parts
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

ENTRY = "periods.closed"
FIGURES = "figures"
"""The step in which the rows of a month are counted."""
MOST_NAMED = 20


class NothingToClose(Conflict):
    code = "nothing_to_close"
    message = "No month that has ended waits to be closed."


class PeriodUnfinished(Conflict):
    """`data["waits"]` lists what is not finished, by part."""

    code = "period_unfinished"
    message = "Something of that month is not finished."


class PeriodChanged(Conflict):
    code = "period_changed"
    message = (
        "The figures of the month have changed since the proposal. Reject it, and find out why."
    )


def next_days() -> tuple[int, datetime.date, datetime.date]:
    """Return number, first and last day of the next month to close. Raises NothingToClose."""
    before = last_closed()
    if before is not None:
        first = add_days(before.last_day, 1)
    else:
        begun = Transfer.objects.order_by("pk").values_list("at", flat=True).first()
        if begun is None:
            raise NothingToClose
        first = natural_day(begun).replace(day=1)
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    if clock.now() < day_bounds(last)[1]:
        raise NothingToClose(first_day=first.isoformat(), last_day=last.isoformat())
    return (before.number + 1 if before else 1), first, last


def last_closed() -> ClosedPeriod | None:
    return ClosedPeriod.objects.order_by("-number").first()


def period_propose(*, by: StaffActor, month: str = "") -> Proposal:
    """Propose to close the next month, with the digest of its figures.

    `month` (as "2030-03") says which one it must be. It takes long (`core.periods.long_work`).
    Raises PowerMissing, NothingToClose, NotQuiet, PeriodUnfinished, ProposalPending.
    """
    by.need(powers.CLOSE)
    number, first, last = next_days()
    if month and month != f"{first:%Y-%m}":  # closed meanwhile
        raise NothingToClose(month=month)
    wait_for_quiet(before=day_bounds(last)[1])
    # Who confirms counts again, on the primary.
    count = partial(_closable, number, first, last)
    month_figures = read_much(limited(settings.NIGHT_LIMIT_S)(only_reading()(count)))
    with transaction.atomic():
        if next_days()[1] != first:  # closed meanwhile
            raise NothingToClose(month=month)
        proposal = two_persons.propose(
            kind=CLOSING,
            subject=_subject(first),
            by=by,
            content={
                "first_day": first.isoformat(),
                "last_day": last.isoformat(),
                "transfers": month_figures.document["transfers"],
                "sha256": month_figures.digest,
            },
        )
        progress.end()
        return proposal


def need_proposable(by: StaffActor) -> datetime.date:
    """Return the first day of the month that this person could propose to close now.

    Its rows are not looked at, so that nobody waits for an answer. Raises PowerMissing,
    NothingToClose, ProposalPending.
    """
    by.need(powers.CLOSE)
    first = next_days()[1]
    two_persons.need_none_pending(kind=CLOSING, subject=_subject(first))
    return first


def _subject(first: datetime.date) -> str:
    return f"period:{first:%Y-%m}"


def _closable(number: int, first: datetime.date, last: datetime.date) -> Figures:
    """Return the figures of a month of which nothing waits. It tells how far it is.

    Raises PeriodUnfinished.
    """
    waits: dict[str, list[Row]] = {}
    parts = all_parts()
    for place, (name, part) in enumerate(parts.items(), start=1):
        progress.step(name, place, len(parts) + 1)
        rows = part.waits(first, last)
        if rows:
            waits[name] = rows[:MOST_NAMED]
    if waits:
        raise PeriodUnfinished(first_day=first.isoformat(), waits=waits)
    progress.step(FIGURES, len(parts) + 1, len(parts) + 1)
    return figures(number, first, last, before=last_closed())


def _close(proposal: Proposal, by: StaffActor) -> None:
    """Store and publish the figures, which must be those that were proposed.

    Raises NothingToClose, NotQuiet, PeriodUnfinished, PeriodChanged.
    """
    hold((Lock.PERIOD, 0))
    number, first, last = next_days()
    if proposal.content["first_day"] != first.isoformat():  # closed meanwhile
        raise PeriodChanged(first_day=proposal.content["first_day"])
    wait_for_quiet(before=day_bounds(last)[1])
    month_figures = _closable(number, first, last)
    if month_figures.digest != proposal.content["sha256"]:
        raise PeriodChanged(first_day=first.isoformat(), sha256=month_figures.digest)
    entry = publish(kind=ENTRY, subject=_subject(first), document=month_figures.document)
    period = ClosedPeriod.objects.create(
        number=number,
        first_day=first,
        last_day=last,
        ends_at=day_bounds(last)[1],
        last_batch=month_figures.last_batch,
        document=month_figures.document,
        proposal=proposal,
        entry=entry,
        closed_at=clock.now(),
    )
    PeriodBalance.objects.bulk_create(
        PeriodBalance(period=period, block=block, balances_cents=cents)
        for block, cents in in_blocks(month_figures.balances).items()
    )


CLOSING = two_persons.Kind(
    "periods.closing",
    powers.CLOSE,
    _close,
    second=powers.CONFIRM,
    good_for=two_persons.A_WEEK,
    long=True,
)


def recount(period: ClosedPeriod) -> list[str]:
    """Compute a closed period again from its rows; return the names of what differs.

    It is compared with what is stored and with what is published. The period before is taken as it
    is stored: its own recount proves it. The transfers of a retired period are in its archive; its
    balances must be the published ones, and its opening lead to them (`archive.opening`).
    """
    before = ClosedPeriod.objects.filter(number=period.number - 1).first()
    again = figures(
        period.number,
        period.first_day,
        period.last_day,
        before=before,
        closed=period,
        retired=hasattr(period, "retirement"),
    )
    stored = period.cents_by_account()
    published = period.entry.document
    differ = [
        name
        for name in sorted(again.document)
        if not again.document[name] == period.document.get(name) == published.get(name)
    ]
    if stored != again.balances:
        differ.append("stored_balances")
    if before is None and period.number != 1:
        differ.append("period_before")
    return differ
