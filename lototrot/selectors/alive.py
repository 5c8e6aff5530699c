"""Count the bets alive after each race, and compute their prizes (14.III.7, 14.III.9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.database.kept import Facts
from core.kernel.canonical import Json
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.engine.distribution import Takings, distribute
from lototrot.engine.races import mask_of, right_mask
from lototrot.models.contest import Contest
from lototrot.selectors.cards import LegCard
from lototrot.selectors.contests import rules_of
from lototrot.selectors.settlement.counting import Counting, count
from lototrot.selectors.totals import voids_of


@dataclass(frozen=True, slots=True)
class Standing:
    """The bets alive after some of the results, counted ticket by ticket in the database.

    `bets` gives, by category, the bets that win it if they get no further race wrong. `prizes`
    gives the prize of each such bet in cents. `position` is the leg whose result came last.
    """

    position: int
    known: int
    bets: Mapping[int, int]
    prizes: Mapping[int, int]

    def to_document(self) -> dict[str, Json]:
        return {
            "position": self.position,
            "known": self.known,
            "bets": {str(category): bets for category, bets in self.bets.items()},
            "prizes": {str(category): cents for category, cents in self.prizes.items()},
        }


def standings(
    contest: Contest, legs: Sequence[LegCard], *, counting: bool = True
) -> list[Standing]:
    """Return the standing of the contest after each result, in the order of official results.

    Counting a large contest takes seconds. With `counting` false, return the standings up to the
    first one that is not counted yet.
    """
    rules = rules_of(contest.bet_type, contest.day)
    decided = sorted((leg for leg in legs if leg.card.winners), key=_official)
    masks = [mask_of(runner.runner.number for runner in leg.card.runners) for leg in legs]
    if not decided:
        return []
    voids = voids_of(contest)
    carried = _carried(contest)
    computed = []
    for results, leg in enumerate(decided, start=1):
        masks[leg.position - 1] = right_mask(leg.card.record.facts())
        counted = _counted(Counting(contest.pk, tuple(masks), rules), voids, counting=counting)
        if counted is None:
            break
        winners, takings_cents = counted
        takings = Takings(takings=takings_cents, winners=dict(winners), **carried)
        computed.append(
            Standing(leg.position, results, winners, distribute(takings, rules).prize_each)
        )
    return computed


def _official(leg: LegCard) -> tuple[object, int]:
    record = leg.card.record
    if record.classification:
        return record.classification.announced_at, leg.position
    return record.drawn.certified_at if record.drawn else None, leg.position


# The last counts, by what can change them: results, and tickets voided after closing. The board
# shows fewer contests and legs than this keeps.
_kept: Facts[tuple[Mapping[int, int], int]] = Facts(most=1024)


def _counted(
    counting_of: Counting, voids: int, *, counting: bool
) -> tuple[Mapping[int, int], int] | None:
    """Return winning bets by category and takings. Count once for each new result or void."""
    key = (counting_of.contest_id, counting_of.right_masks, voids)
    counted = _kept.get(*key)
    if counted is None and counting:
        tally = count(counting_of)
        counted = _kept.put(*key, fact=(tally.winners, tally.takings_cents))
    return counted


def _carried(contest: Contest) -> dict[str, int]:
    """Return the amounts added to the takings: as settled, or as the ledger has them now."""
    settled = contest.settlements.filter(in_force=True).first()
    if settled:
        return {
            "jackpot_in": settled.jackpot_in_cents,
            "reserve_in": settled.reserve_in_cents,
            "lapsed_in": settled.lapsed_in_cents,
        }
    code = contest.bet_type_code
    return {
        "jackpot_in": ledger.balance_cents(accounts.jackpot(code)),
        "reserve_in": ledger.balance_cents(accounts.reserve(code)),
        "lapsed_in": ledger.balance_cents(accounts.lapsed(contest.pk)),
    }
