"""Three meetings of one chain, worked out by hand, the whole way through the database.

The figures are in cents and were computed on paper: no figure here comes from the engine.
"""

import pytest

from core.ledger import services as ledger
from core.ledger.selectors import trial_balance
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.breach import breach_void
from tests.support import factories, rounds
from tests.support.factories import Point

pytestmark = pytest.mark.django_db

RULES = rounds.rules()
FIVE = (1, 2, 3, 4, 5)
Marked = list[list[int]]


def of(*winners: int, outcome: Outcome = Outcome.RUN, **states: set[int]) -> Race:
    sets = {name: frozenset(numbers) for name, numbers in states.items()}
    return Race(FIVE, winners=frozenset(winners), outcome=outcome, **sets)


# Right are, race by race: 1 and 2; 3 and 4; 5 and 1; 1 and 2; 2 and 3; 1; 1.
FIRST_DAY = [
    of(1, 2),
    of(4, withdrawn={3}),
    of(1, withdrawn={5}),
    of(2, withdrawn={1}, outcome=Outcome.NOT_RUN),
    of(3, withdrawn={2}, outcome=Outcome.SUSPENDED),
    of(1, left={2}),
    of(1, disqualified={2}),
]
WRONG_FIRST = [[3, 4, 5], [1, 2, 5], [2, 3, 4], [3, 4, 5], [1], [2], [2]]
SECOND_DAY = [of(1), of(1, outcome=Outcome.ALL_DISQUALIFIED), *[of(1)] * 5]
WRONG = [[2, 3, 4, 5]] * 7
THIRD_DAY = [of(1, 2), *[of(1)] * 6]
WRONG_THIRD = [[3, 4, 5], *WRONG[1:]]


def wrong(among: Marked, *numbers: int) -> Marked:
    """Return a ticket with so many wrong numbers in the first races, and one in each of the others.

    Its bets are the product of `numbers`, and none has any race right.
    """
    wanted = [*numbers, *[1] * (7 - len(numbers))]
    return [each[:many] for each, many in zip(among, wanted, strict=True)]


def right(races: int) -> Marked:
    return [[1]] * races + [[2]] * (7 - races)


def held(tickets: list[Marked], races: list[Race], at: Point) -> tuple[Contest, list[int]]:
    """Sell tickets of a meeting of today, whose races are then run. Return it and their ids."""
    contest = rounds.contest(RULES, [FIVE] * 7)
    sold = rounds.sell(contest, at, [rounds.masks(ticket) for ticket in tickets])
    rounds.run(contest, races)
    return contest, [ticket.pk for ticket in sold]


def in_force(contest: Contest) -> Settlement:
    settlement: Settlement = contest.settlements.get(in_force=True)
    return settlement


def figures(contest: Contest) -> dict[str, object]:
    names = ("tested_jackpot", "regime", "prize_pool", "prize_each", "prizes_total")
    return {name: in_force(contest).figures[name] for name in names}


def prizes(contest: Contest) -> dict[int, int]:
    return {ticket: cents for ticket, (_, cents) in rounds.prizes(in_force(contest)).items()}


def lapse_into(later: Contest, *earlier: Contest) -> int:
    """Lapse what nobody claimed, and carry it over. Return the cents."""
    for contest in earlier:
        lapse(contest.pk, later.day)
    return lapsed_carry_over(contest_id=later.pk)


def first_day(point: Point) -> Contest:
    elsewhere = factories.point(factories.premises(authorised=()))
    # 100 bets of 1.00 and a pool of 6000: 1800, 1200, 1200 and 1800 (9.2). Two bets have six right,
    # three have five and three four: 600, 400 and 600 each. 4/7 exceeds 5/7, and each of the two
    # gets half of 3000: 500 and 500. The two bets in breach had all right, and are not counted.
    in_breach = [[1], [3], [1], [2], [3], [1], [1]]
    first = rounds.contest(RULES, [FIVE] * 7)
    rounds.sell(first, elsewhere, [rounds.masks(in_breach)] * 2)
    sold = rounds.sell(
        first,
        point,
        [
            rounds.masks(ticket)
            for ticket in (
                [[1, 2], [3], [5], [1], [2], [1], [2]],
                [[1], [4], [1], [2], [3], [2], [2]],
                [[3], [3], [5], [1], [2], [3], [3]],
                [[1], [4], [1], [2], [1, 3], [3, 4], [3]],
                wrong(WRONG_FIRST, 3, 3, 3, 3),
                wrong(WRONG_FIRST, 3, 3),
                wrong(WRONG_FIRST, 2),
            )
        ],
    )
    rounds.run(first, FIRST_DAY)
    one, two = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=one, contest_id=first.pk).uuid, by=two)
    rounds.order(first)
    assert figures(first) == {
        "tested_jackpot": 14_998_201,
        "regime": "9.2",
        "prize_pool": 6_000,
        "prize_each": {"6": 600, "5": 500, "4": 500},
        "prizes_total": 4_200,
    }
    six, five, four, multiple = (ticket.pk for ticket in sold[:4])
    assert prizes(first) == {six: 1_200, five: 500, four: 500, multiple: 2_000}
    kept = {"takings": 0, "prizes": 4_200, "lapsed": 0}
    assert rounds.balances(first) == kept | {"jackpot": 15_000_001, "reserve": 5_000}
    return first


def second_day(point: Point) -> Contest:
    # 101 bets, a pool of 6060, and a figure that is one cent above: 1212, 1212, 1212, 1818 and 606
    # to the reserve (9.3). Nobody has six or four right: 2424 for seven bets of five, 346 each and
    # 2 left; 1818 to the reserve.
    rounds.later(1)
    others = [wrong(WRONG, *each) for each in ((4, 4, 4), (4, 4), (4, 2), (4,), (2,))]
    second, winning = held([*[right(5)] * 7, *others], SECOND_DAY, point)
    rounds.order(second)
    assert figures(second) == {
        "tested_jackpot": 15_000_001,
        "regime": "9.3",
        "prize_pool": 6_060,
        "prize_each": {"5": 346},
        "prizes_total": 2_422,
    }
    assert prizes(second) == dict.fromkeys(winning[:7], 346)
    kept = {"takings": 0, "prizes": 2_422, "lapsed": 0}
    assert rounds.balances(second) == kept | {"jackpot": 15_001_213, "reserve": 7_426}
    return second


def third_day(point: Point, first: Contest, second: Contest) -> None:
    # Nobody claimed any of it: 6622 join. 100 bets and a pool of 6000: 1200, 1200, 1200, 1800 and
    # 600. The 7/7 is 1200 + 15 001 213 + 6622 + 7426 of reserve, for the two bets of one ticket on
    # a dead heat: 7 508 230 each, and a cent left. 5/7 has the share of 6/7, too.
    rounds.later(40)
    losers = wrong(WRONG_THIRD, 3, 4, 4, 2)
    third, (both, *rest) = held(
        [[[1, 2], *[[1]] * 6], right(5), right(4), losers], THIRD_DAY, point
    )
    assert lapse_into(third, first, second) == 4_200 + 2_422
    rounds.order(third)
    assert figures(third) == {
        "tested_jackpot": 15_007_835,
        "regime": "9.3",
        "prize_pool": 6_000,
        "prize_each": {"7": 7_508_230, "5": 2_400, "4": 1_800},
        "prizes_total": 15_020_660,
    }
    assert prizes(third) == {both: 15_016_460, rest[0]: 2_400, rest[1]: 1_800}
    kept = {"takings": 0, "prizes": 15_020_660, "lapsed": 0}
    assert rounds.balances(third) == kept | {"jackpot": 0, "reserve": 601}


@pytest.mark.article("14.I.6", "14.III.5.4.1", "14.III.5.4.2", "14.III.5.4.3", "14.III.9.9")
@pytest.mark.article("14.III.9.2", "14.III.9.3", "14.III.9.5", "14.III.9.7", "14.III.9.8")
@pytest.mark.article("14.III.10.7")
def test_three_meetings_pay_what_was_worked_out_on_paper() -> None:
    point = factories.point()
    factories.time_to(rounds.NOON)
    rounds.fund(accounts.jackpot(RULES.code), 14_998_201)
    rounds.fund(accounts.reserve(RULES.code), 5_000)
    first = first_day(point)
    second = second_day(point)
    third_day(point, first, second)
    assert ledger.balance_cents(accounts.refunds_due(first.pk)) == 200, "a price due never lapses"
    assert trial_balance(by=factories.staff(Role.AUDITOR)).difference_cents == 0
