"""Find contests with results that wait for their payment order, and what keeps them [D7]."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from core.database import clock
from core.database.reading.once import once
from core.kernel.errors import Conflict
from lototrot.engine.dates import first_pay_day, last_claim_day
from lototrot.models.contest import Contest
from lototrot.selectors.contests import figures_of
from lototrot.selectors.settlement.chains import holds_chain
from lototrot.selectors.settlement.results import ContestResults, contest_results, settled_results

State = Contest.State


@dataclass(frozen=True, slots=True)
class Unordered:
    """A contest whose results are established and whose payment is not ordered.

    `ordinary_last_day` is the last day to claim after an order in time.
    """

    contest: Contest
    established_at: datetime
    first_pay_day: date
    ordinary_last_day: date


@dataclass(frozen=True, slots=True)
class Waiting:
    """A contest that keeps later meetings of its chain from being settled, and those meetings."""

    blocker: Contest
    meetings: Sequence[Unordered]


@once
def unordered() -> list[Unordered]:
    """Return the contests with results and without a payment order, by day."""
    ended = Contest.objects.filter(state__in=Contest.UNORDERED)
    without_order = []
    for contest in ended.select_related("meeting").order_by("day", "pk"):
        try:
            settled = contest.state == State.SETTLED
            results = settled_results(contest) if settled else contest_results(contest)
        except Conflict:
            continue
        without_order.append(_unordered(contest, results))
    return without_order


def _unordered(contest: Contest, results: ContestResults) -> Unordered:
    claim_days = figures_of(contest.day).lototrot.claim_days
    return Unordered(
        contest,
        max(leg.official_at for leg in results.legs),
        first_pay_day(contest.day, results.results_day),
        last_claim_day(contest.day, results.results_day, claim_days),
    )


def chains_waiting(ready: Sequence[Unordered]) -> list[Waiting]:
    """Return the first contest not ordered of each chain, if meetings in `ready` wait for it."""
    chains: dict[str, list[Unordered]] = {}
    for each in ready:
        chains.setdefault(each.contest.bet_type_code, []).append(each)
    waiting = []
    for code, meetings in sorted(chains.items()):
        chain = Contest.objects.filter(bet_type_code=code).select_related("meeting")
        first = chain.filter(holds_chain(clock.now())).order_by("day", "pk").first()
        later = [each for each in meetings if first and each.contest.day > first.day]
        if first is not None and later:
            waiting.append(Waiting(first, later))
    return waiting
