"""End a bet type: only when nobody can be paid from it any more, and to the cent [A17, A21]."""

from datetime import timedelta

import pytest

from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.postings import Source
from lototrot.services.authority.ending import (
    Destination,
    DestinationUnknown,
    EndNotWhole,
    GameEnded,
    GameNotOver,
    end_propose,
    held_cents,
)
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.9.5", "14.III.9.8")]
CODE = "two-legs"
DAY = natural_day(rounds.NOON)


@pytest.fixture
def by() -> StaffActor:
    """Give the chain a jackpot of 500, a reserve of 30, and unclaimed prizes of two days."""
    factories.time_to(rounds.NOON)
    factories.bet_type_of(rounds.rules(**rounds.TWO_LEGS))
    rounds.fund(accounts.jackpot(CODE), 500)
    rounds.fund(accounts.reserve(CODE), 30)
    rounds.fund(accounts.carry_over(CODE, DAY), 7)
    rounds.fund(accounts.carry_over(CODE, add_days(DAY, 1)), 5)
    return factories.staff(Role.ORGANISER)


WHOLE = (
    Destination(Source.JACKPOT, 400, recipient="Federació"),
    Destination(Source.JACKPOT, 100, recipient="Hospital"),
    Destination(Source.RESERVE, 30, recipient="Hospital"),
    Destination(Source.UNCLAIMED, 10, recipient="Federació"),
    Destination(Source.UNCLAIMED, 2, recipient="Hospital"),
)


def proposed(by: StaffActor, *destinations: Destination) -> object:
    return end_propose(
        by=by, bet_type=CODE, decision="Resolució 3", destinations=destinations or WHOLE
    ).uuid


def test_each_sum_goes_to_its_recipient_the_oldest_day_first(by: StaffActor) -> None:
    two_persons.confirm(proposal=proposed(by), by=factories.staff(Role.ORGANISER))  # type: ignore[arg-type]
    assert ledger.balance_cents(accounts.sent_on(CODE, "Federació")) == 410
    assert ledger.balance_cents(accounts.sent_on(CODE, "Hospital")) == 132
    assert {sum(parts.values()) for parts in held_cents(CODE).values()} == {0}
    end = GameEnd.objects.get()
    unclaimed = [(m["day"], m["cents"]) for m in end.moves if m["source"] == "unclaimed"]
    later = add_days(DAY, 1).isoformat()
    assert unclaimed == [(DAY.isoformat(), 7), (later, 3), (later, 2)]
    assert end.cents == 542
    with pytest.raises(GameEnded):
        proposed(by)


@pytest.mark.parametrize("index", range(len(WHOLE)))
def test_a_cent_without_a_place_is_refused(by: StaffActor, index: int) -> None:
    less = [*WHOLE[:index], *WHOLE[index + 1 :]]
    with pytest.raises(EndNotWhole):
        proposed(by, *less)
    with pytest.raises(EndNotWhole):
        proposed(by, *WHOLE, WHOLE[index])


@pytest.mark.parametrize(
    "wrong",
    [
        Destination(Source.JACKPOT, 1),
        Destination(Source.JACKPOT, 0, recipient="x"),
        Destination(Source.JACKPOT, -5, recipient="x"),
        Destination(Source.JACKPOT, 1, recipient="x", bet_type="lototrot"),
        Destination(Source.JACKPOT, 1, bet_type=CODE),
        Destination(Source.JACKPOT, 1, bet_type="nothing"),
    ],
)
def test_a_sum_needs_one_destination_that_exists(by: StaffActor, wrong: Destination) -> None:
    with pytest.raises(DestinationUnknown):
        proposed(by, *WHOLE, wrong)


def test_money_that_came_between_the_two_persons_keeps_the_end_back(by: StaffActor) -> None:
    ident = proposed(by)
    rounds.fund(accounts.jackpot(CODE), 1)
    with pytest.raises(EndNotWhole):
        two_persons.confirm(proposal=ident, by=factories.staff(Role.ORGANISER))  # type: ignore[arg-type]
    assert not GameEnd.objects.exists()


@pytest.mark.parametrize("state", [Contest.State.OPEN, Contest.State.DRAFT])
def test_an_unfinished_contest_keeps_the_game_going(by: StaffActor, state: str) -> None:
    meeting = factories.meeting(races=2, day=DAY + timedelta(days=1))
    rules = rounds.record(rounds.rules(**rounds.TWO_LEGS))
    contest = factories.contest(meeting, rules=rules, state=state)
    with pytest.raises(GameNotOver) as refusal:
        proposed(by)
    assert refusal.value.data == {"contest": contest.pk}


def test_prizes_that_can_still_be_claimed_keep_the_game_going(by: StaffActor) -> None:
    contest = rounds.ordered(factories.point(), tickets=((3, 3),))
    with pytest.raises(GameNotOver) as refusal:
        proposed(by)
    assert refusal.value.data == {"contest": contest.pk}
