"""Why a ticket has its prize: by category, as the settlement on record has it (14.III.9)."""

from collections.abc import Mapping

import pytest
from django.utils import translation

from core.kernel.languages import LANGUAGES
from core.payoffice.sources import Reasons
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.services.prizes.explaining import reasons
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db
NUMBERS = (1, 2, 3)
RUN = [Race(NUMBERS, winners=frozenset({1}))] * 7


def sold(bets: Mapping[int, int], *multiples: list[list[int]], **funds: int) -> Contest:
    """Return a contest of seven races, run: so many bets by races right, and the multiples."""
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [NUMBERS] * 7)
    if "jackpot" in funds:
        rounds.fund(accounts.jackpot(contest.bet_type_code), funds["jackpot"])
    plain = [
        [[1]] * right + [[2]] * (7 - right) for right, times in bets.items() for _ in range(times)
    ]
    rounds.sell(contest, factories.point(), [rounds.masks(each) for each in [*multiples, *plain]])
    rounds.run(contest, RUN)
    return contest


def ordered(bets: Mapping[int, int], *multiples: list[list[int]], **funds: int) -> list[Ticket]:
    """Return the tickets of such a contest, the multiples first, settled and ordered by two."""
    contest = sold(bets, *multiples, **funds)
    rounds.order(contest)
    return list(Ticket.objects.filter(contest=contest).order_by("pk"))


def need_reasons(ticket: Ticket) -> Reasons:
    explanation = reasons(ticket.pk)
    assert explanation is not None
    return explanation


@pytest.mark.article("14.III.9.2", "14.III.9.8")
def test_a_multiple_ticket_is_told_each_category_with_its_bets_its_price_and_its_steps() -> None:
    # Two numbers in each of two races: one bet has all seven right, two have six, one has five.
    multiple = [[1, 2], [1, 2], *([[1]] * 5)]
    ticket, *_others = ordered({6: 2, 5: 10, 4: 40, 0: 100}, multiple, jackpot=777_77)
    with translation.override("en"):
        why = need_reasons(ticket)
    prize = Prize.objects.get(ticket=ticket)
    categories = dict(why.figures.categories.values_list("hits", "prize_cents"))
    assert [(each.title, each.units, each.unit_cents) for each in why.won] == [
        ("7 right", "1 bet", categories[7]),
        ("6 right", "2 bets", categories[6]),
        ("5 right", "1 bet", categories[5]),
    ]
    assert sum(each.cents for each in why.won) == prize.prize_cents and why.agrees
    figures = why.figures.figures
    steps = dict(why.won[0].steps)
    assert f"€{figures['shares']['7'] / 100:,.2f}" == steps["Share of this meeting"]
    assert (
        f"€{figures['before_correction']['7'] / 100:,.2f}"
        == steps["With what was accumulated, unclaimed or in reserve"]
    )
    assert steps["Winning bets among which it is shared"] == "1"
    last, price = why.won[1].steps[-1]
    assert last.endswith("€0.01") and price == f"€{categories[6] / 100:,.2f}"
    assert not why.sentences


@pytest.mark.article("14.III.9.7")
def test_what_was_halved_or_joined_is_said_to_whom_it_concerns_alone() -> None:
    tickets = ordered({7: 1, 6: 10, 5: 1, 4: 2, 3: 333}, jackpot=160_000_00)
    with translation.override("en"):
        seven, six, nothing = (reasons(tickets[place].pk) for place in (0, 1, -1))
    assert seven and not seven.sentences
    assert six and any("6 right, 5 right, 4 right are added" in text for text in six.sentences)
    assert any(name.startswith("After a lower prize") for name, _ in six.won[0].steps)
    assert nothing is None
    for language in LANGUAGES:
        with translation.override(language):
            assert need_reasons(tickets[1]).agrees


@pytest.mark.article("14.III.9.5")
def test_a_category_that_nobody_won_is_told_to_the_one_below() -> None:
    (five, *_others) = ordered({5: 1, 2: 50})
    with translation.override("en"):
        steps = dict(need_reasons(five).won[0].steps)
    assert any("14.III.9.5" in name for name in steps)


@pytest.mark.article("14.III.8.2")
def test_nothing_is_told_before_the_order_nor_of_a_reversed_settlement() -> None:
    contest = sold({7: 1, 2: 20})
    contest_settle(contest_id=contest.pk)
    winner = Ticket.objects.filter(contest=contest).earliest("pk")
    assert reasons(winner.pk) is None
    rounds.order(contest)
    assert need_reasons(winner).figures == contest.settlements.get(in_force=True)


def test_a_prize_that_its_categories_do_not_make_is_not_called_right() -> None:
    winner, *_others, loser = ordered({7: 1, 2: 20})
    why = need_reasons(winner)
    assert why.agrees
    Prize.objects.create(
        settlement=why.figures, ticket=loser, winning_bets=[1, 0, 0, 0], prize_cents=12_00
    )
    assert not need_reasons(loser).agrees
