"""A bet type on rounds of the past: settled in turn, by the engine, from an empty jackpot."""

from datetime import date
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from core.tools.whatif.kinds import kinds
from lototrot.engine.bet_type import shipped
from lototrot.engine.trial import PastRound, lengthened, tried

OWN = shipped("lototrot", minimum_prize_percent=Fraction(60))


def past(*by_hits: int, right: tuple[int, ...] = (), day: int = 1) -> PastRound:
    legs = len(by_hits) - 1
    return PastRound(date(2027, 4, day), "Reunió", by_hits, right or (sum(by_hits) // 2,) * legs)


def test_rounds_are_settled_in_turn_as_whatif_settles_a_chain() -> None:
    rounds = [
        past(500, 300, 100, 60, 25, 10, 5, 0),
        past(500, 300, 100, 60, 25, 10, 4, 1, day=8),
    ]
    results = tried(rounds, OWN, 200)
    meetings = [
        {
            "day": one.day.isoformat(),
            "takings": one.bets * 200,
            "winners": {str(hits): one.by_hits[hits] for hits in OWN.categories},
        }
        for one in rounds
    ]
    answer = kinds()["chain"]({"jackpot_in": 0, "reserve_in": 0, "meetings": meetings})
    for result, expected in zip(results, answer["meetings"], strict=True):
        assert result.paid.figures().items() <= expected.items()
        assert not result.estimated
    assert results[1].paid.jackpot_in == results[0].paid.jackpot_out > 0
    assert results[1].paid.jackpot_out == 0, "the first category was won"


def test_a_round_with_fewer_races_is_lengthened_and_said_to_be_an_estimate() -> None:
    short = past(25, 50, 25, right=(50, 50))
    assert lengthened(short, 2) == short.by_hits
    assert lengthened(short, 3) == (13, 38, 38, 13), "halves upwards"
    rules = shipped("five-races", minimum_prize_percent=Fraction(60))
    (result,) = tried([short], rules, 100)
    assert result.estimated
    assert result.paid.takings == 10_000


@given(
    st.lists(st.integers(0, 10**6), min_size=3, max_size=6), st.integers(0, 4), st.integers(0, 9)
)
def test_lengthening_keeps_the_bets_but_for_their_rounding(
    by_hits: list[int], more: int, tenths: int
) -> None:
    bets = sum(by_hits)
    right = (bets * tenths // 10,) * (len(by_hits) - 1)
    counts = lengthened(past(*by_hits, right=right), len(by_hits) - 1 + more)
    assert len(counts) == len(by_hits) + more
    assert abs(sum(counts) - bets) <= len(counts)
