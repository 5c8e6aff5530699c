"""How many bets are still alive after each race, and what the prizes would be (14.III.7, 9)."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from core.kernel.canonical import Json
from core.ledger import services as ledger
from lototrot.engine.bet_type import BetType
from lototrot.engine.distribution import Distribution, Takings, distribute
from lototrot.engine.races import mask_of, right_mask
from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.selectors.cards import LegCard
from lototrot.services import chart
from lototrot.services.contests import rules_of
from lototrot.services.counting import Counting, count


@dataclass(frozen=True, slots=True)
class Standing:
    """A contest after some of its results, counted ticket by ticket in the database.

    `bets` by category: those that win it if they have no race wrong from here on; `prizes` what
    each would then be paid, in cents. `position` is the race that came last.
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


def standings(contest: Contest, legs: Sequence[LegCard]) -> list[Standing]:
    """How the contest stood after each result, in the order in which they became official."""
    rules = rules_of(contest.bet_type, contest.day)
    known = sorted((leg for leg in legs if leg.card.winners), key=_official)
    masks = [mask_of(runner.runner.number for runner in leg.card.runners) for leg in legs]
    found = []
    for many, leg in enumerate(known, start=1):
        masks[leg.position - 1] = right_mask(leg.card.record.facts())
        winners, takings_cents = _counted(contest.pk, tuple(masks), rules)
        prizes = _as_it_stands(contest, winners, takings_cents, rules).prize_each
        found.append(Standing(leg.position, many, winners, prizes))
    return found


def _official(leg: LegCard) -> tuple[object, int]:
    record = leg.card.record
    if record.classification:
        return record.classification.announced_at, leg.position
    return record.drawn.certified_at if record.drawn else None, leg.position


# What was counted last, by what could change it: results, and tickets voided after closing.
_Key = tuple[str, int, tuple[int, ...], int]
_kept: OrderedDict[_Key, tuple[Mapping[int, int], int]] = OrderedDict()
_KEPT = 64


def _counted(
    contest_id: int, masks: tuple[int, ...], rules: BetType
) -> tuple[Mapping[int, int], int]:
    """Winning bets by category and takings, counted once for each new result or void."""
    voids = Void.objects.filter(ticket__contest=contest_id).count()
    key = (connection.settings_dict["NAME"], contest_id, masks, voids)
    if key not in _kept:
        tally = count(Counting(contest_id, masks, rules))
        _kept[key] = tally.winners, tally.takings_cents
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return _kept[key]


def _as_it_stands(
    contest: Contest, winners: Mapping[int, int], takings_cents: int, rules: BetType
) -> Distribution:
    settled = contest.settlements.filter(in_force=True).first()
    code = contest.bet_type_code
    return distribute(
        Takings(
            takings=takings_cents,
            winners=dict(winners),
            jackpot_in=settled.jackpot_in_cents
            if settled
            else ledger.balance_cents(chart.jackpot(code)),
            reserve_in=settled.reserve_in_cents
            if settled
            else ledger.balance_cents(chart.reserve(code)),
            lapsed_in=settled.lapsed_in_cents
            if settled
            else ledger.balance_cents(chart.lapsed(contest.pk)),
        ),
        rules,
    )
