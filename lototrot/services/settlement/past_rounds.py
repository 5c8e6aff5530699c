"""Count the bets of settled contests, on which a bet type is tried before it is authorised."""

import dataclasses
from fractions import Fraction

from django.db.models import Exists, OuterRef

from core.database.kept import Facts
from core.database.reading.asking import fetch_row
from lototrot.engine.bet_type import BetType, shipped
from lototrot.engine.races import mask_of
from lototrot.engine.trial import PastRound
from lototrot.models.retired import RetiredSales
from lototrot.models.settlement import Settlement
from lototrot.selectors.settlement.counting import Counting, count

MOST_ROUNDS = 12
_KEPT = Facts[PastRound](most=2_000)


def past_rounds(legs: int) -> list[PastRound]:
    """Return the newest rounds with a settlement in force, the oldest first, by their first races.

    A settlement never changes, so each process counts it once for each number of races. Rounds of
    which tickets left with a retired month cannot be counted.
    """
    settled = Settlement.objects.filter(in_force=True, bets__gt=0)
    settled = settled.exclude(Exists(RetiredSales.objects.filter(contest=OuterRef("contest"))))
    newest = settled.select_related("contest__meeting").order_by("-contest__day", "-pk")
    return [_round(settlement, legs) for settlement in reversed(newest[:MOST_ROUNDS])]


def _round(settlement: Settlement, legs: int) -> PastRound:
    counted = min(legs, len(settlement.races))
    past_round = _KEPT.get(settlement.pk, counted)
    return past_round or _KEPT.put(settlement.pk, counted, fact=_counted(settlement, counted))


def _counted(settlement: Settlement, legs: int) -> PastRound:
    contest = settlement.contest
    races = sorted(settlement.races, key=lambda race: race["position"])
    right = tuple(mask_of(race["right"]) for race in races)
    winners = count(Counting(contest.pk, right[:legs], _every_hit(legs))).winners
    return PastRound(
        day=contest.day,
        name=contest.meeting.name,
        by_hits=tuple(winners[hits] for hits in range(legs + 1)),
        right_by_leg=_right_by_leg(contest.pk, right, legs),
    )


def _every_hit(legs: int) -> BetType:
    """Return rules that make a category of every number of hits, none included."""
    usual = shipped("lototrot", minimum_prize_percent=Fraction(0))
    return dataclasses.replace(usual, legs=legs, categories=tuple(range(legs, -1, -1)))


def _right_by_leg(contest_id: int, right: tuple[int, ...], legs: int) -> tuple[int, ...]:
    """Return how many bets on the first `legs` races have each of them right."""
    marks = [f"bit_count(leg_{leg}::bit(32))" for leg in range(1, legs + 1)]
    bets = " * ".join(marks)
    sums = ", ".join(
        f"coalesce(sum({bets} / {marks[leg - 1]} * bit_count((leg_{leg} & {int(mask)})::bit(32))),"
        " 0)::bigint"
        for leg, mask in enumerate(right[:legs], start=1)
    )
    right_by_leg = fetch_row(
        f"SELECT {sums} FROM lototrot_ticket k WHERE contest_id = %s AND NOT EXISTS"
        " (SELECT FROM lototrot_void v WHERE v.ticket_id = k.id)",
        [contest_id],
    )
    return tuple(right_by_leg)
