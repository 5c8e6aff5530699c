"""List the nightly jobs of closed periods.

One of them is counted again each night, in turn; rows that were retired are deleted.
"""

import datetime

from django.utils.translation import gettext_lazy as _

from core.database.reading import progress
from core.database.reading.snapshot import snapshot
from core.kernel.days import add_days
from core.kernel.errors import InvariantBroken
from core.nights.jobs import MOST_LISTED, Job, Outcome
from core.nights.turns import last_begun, next_turn
from core.periods.archive.opening import opening_differs
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.models import ClosedPeriod
from core.periods.names import names_over
from core.periods.retention import ledger_over, personal_data_over, tickets_over
from core.periods.services import recount

AUDIT, REMOVE = "periods.audit", "periods.remove"


class PeriodsDiffer(InvariantBroken):
    """`data["found"]` has the first day of each period, and the names of what differs."""

    code = "periods_differ"
    message = "A closed period is not as it was published."


def audit(day: datetime.date) -> Outcome:
    """Count the newest closed period again, and one older one: the one after that of last night."""
    numbers = list(ClosedPeriod.objects.order_by("number").values_list("number", flat=True))
    if not numbers:
        return Outcome({"periods": 0})
    turn = next_turn(AUDIT, day, turns=len(numbers))
    return Outcome(dict(_recounted({numbers[-1], numbers[turn - 1]}).counts) | {"turn": turn})


def audit_everything() -> Outcome:
    """Count every closed period again."""
    return _recounted(set(ClosedPeriod.objects.values_list("number", flat=True)))


def _recounted(numbers: set[int]) -> Outcome:
    differing_periods = []
    with snapshot():
        chosen = ClosedPeriod.objects.filter(number__in=numbers).select_related("entry")
        for done, period in enumerate(chosen.order_by("number")):
            progress.tell(done, len(numbers))
            differ = [*recount(period), *opening_differs(period)]
            if differ:
                differing_periods.append(
                    {"first_day": period.first_day.isoformat(), "differ": differ}
                )
    if differing_periods:
        raise PeriodsDiffer(found=differing_periods)
    return Outcome({"periods": len(numbers)})


def retention(day: datetime.date) -> Outcome:
    """List what is over its time in the live store, by kind."""
    today = add_days(day, 1)
    tickets, ledger = tickets_over(today), ledger_over(today)
    counts = {
        "tickets": len(tickets),
        "ledger": len(ledger),
        "personal_data": personal_data_over(today),
        "names": sum(len(ids) for ids in names_over(today).values()),
    }
    listed = [
        {"kind": over.kind, "month": over.month, "since": over.since.isoformat()}
        for over in (*tickets, *ledger)
    ]
    return Outcome(counts, {"over_time": listed[:MOST_LISTED]})


def remove(day: datetime.date) -> Outcome:
    """Delete the rows that were retired, some thousands to a transaction; then sealed entries."""
    done_at = last_begun(REMOVE)
    removed = retired_remove(done_at) if done_at else retired_remove()
    return Outcome({"removed": removed, "entries_left": entries_remove()})


JOBS: tuple[Job, ...] = (
    Job(
        name="periods.retention",
        title=_("What is over its time of keeping"),
        order=70,
        run=retention,
        recounts=True,
    ),
    Job(
        name=REMOVE,
        title=_("Retired rows deleted"),
        order=60,
        run=remove,
        whole=False,
    ),
    Job(
        name=AUDIT,
        title=_("Closed periods counted again"),
        order=90,
        run=audit,
        everything=audit_everything,
        whole=False,
        recounts=True,
    ),
)
