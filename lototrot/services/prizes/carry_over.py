"""Carry unclaimed prizes over into the 7/7 of the right meeting (14.III.10.7) [D3, C5].

Prizes that lapse or are refused on a day stand on `accounts.carry_over` of that day until there
is a meeting dated after it. Then they pass to `accounts.lapsed` of that meeting, even if it is on
sale already, and stay there, even if a meeting of an earlier day is prepared later.
Settlement refuses a meeting while anything from before its day waits.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db import transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import hold
from core.ledger import services as ledger
from core.ledger.services import Line
from lototrot import accounts, postings
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver
from lototrot.selectors.settlement.chains import chain_lock, holds_chain
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting, taken_before


def meeting_after(bet_type_code: str, day: date) -> Contest | None:
    """Return the first contest dated after a day that is not settled yet; None if unknown.

    A contest that is still being prepared may become that contest. Prizes do not pass over it.
    """
    later = _unsettled().filter(bet_type_code=bet_type_code, day__gt=day)
    return _first_after(day, later[:1])


def _unsettled() -> QuerySet[Contest]:
    """Return the contests that hold a chain, in order; a settled one has taken what it takes."""
    holding = Contest.objects.filter(holds_chain(clock.now())).exclude(state=Contest.State.SETTLED)
    return holding.order_by("day", "pk")


def _first_after(day: date, contests: Iterable[Contest]) -> Contest | None:
    first = next((contest for contest in contests if contest.day > day), None)
    return None if first is None or first.state == Contest.State.DRAFT else first


def carry_overs_due() -> list[int]:
    """List the contests into which unclaimed prizes can be carried over now, by id."""
    chains: dict[str, list[Contest]] = defaultdict(list)
    for contest in _unsettled():
        chains[contest.bet_type_code].append(contest)
    due = set()
    for code, contests in chains.items():
        waiting = carry_overs_waiting(code, since=taken_before(code))
        meetings = (_first_after(day, contests) for day, _cents in waiting)
        due |= {meeting.pk for meeting in meetings if meeting}
    return sorted(due)


@transaction.atomic
def lapsed_carry_over(*, contest_id: int) -> int:
    """Carry all unclaimed prizes that belong to a contest over into it. Return the cents.

    A second call carries nothing more. The call waits until a running settlement of the chain ends.
    """
    contest = Contest.objects.get(pk=contest_id)
    hold(chain_lock(contest.bet_type_code))
    carried_cents = 0
    since = taken_before(contest.bet_type_code)
    for day, cents in carry_overs_waiting(contest.bet_type_code, since):
        meeting = meeting_after(contest.bet_type_code, day)
        if meeting is None or meeting.pk != contest_id:
            continue
        now = clock.now()
        carried = CarryOver.objects.create(
            uuid=row_uuid(now),
            bet_type_code=contest.bet_type_code,
            day=day,
            contest=contest,
            cents=cents,
            carried_at=now,
        )
        ledger.post(reference=carried.uuid, lines=[_line(carried)])
        ledger.need_balance(accounts.carry_over(contest.bet_type_code, day), 0)
        carried_cents += cents
    return carried_cents


def carry_over_lines(contest_id: int) -> Iterable[Line]:
    """Return the lines of the carry-overs into a contest, for `ledger_rebuild`."""
    return [_line(carried) for carried in CarryOver.objects.filter(contest_id=contest_id)]


def _line(carried: CarryOver) -> Line:
    return postings.carry_over(
        contest_id=carried.contest_id,
        bet_type_code=carried.bet_type_code,
        day=carried.day,
        cents=carried.cents,
    )
