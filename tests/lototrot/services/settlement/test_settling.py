"""Settling a contest through the database: every figure, every cent, all of it or nothing."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.ledger import services as ledger
from core.ledger.selectors import trial_balance
from core.premises.models import Authorisation
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.bet_type import shipped
from lototrot.engine.distribution import Takings, distribute
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.models.tickets import Ticket
from lototrot.selectors.contests import ContestUnknown
from lototrot.selectors.settlement.settlements import chain_balances, settlements_of
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.races.classification import Entry
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.classification_correction import classification_correct
from lototrot.services.settlement.settling import (
    BreachPending,
    ContestNotClosed,
    LapsedNotCarriedOver,
    NotSettled,
    PreviousContestOpen,
    contest_settle,
    settlement_reverse,
    settlements_due,
)
from tests.support import factories, rounds
from tests.support.factories import Point
from tests.support.lototrot.two_races import (
    FOUR_RUNNERS,
    TICKETS,
    TWO,
    WON_BY_ONE,
    closed_contest,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

ROOT = Path(__file__).resolve().parents[4]
OWN = ROOT / "tests" / "golden" / "cases.json"
SHARED = ROOT.parent / "shared" / "regulation" / "cases.json"


def end_to_end() -> list[Any]:
    cases = []
    for path in (OWN, SHARED):
        if not path.exists():
            reason = "the shared worked examples are not beside the project"
            cases.append(pytest.param({}, id=path.name, marks=pytest.mark.skip(reason=reason)))
            continue
        cases += [
            pytest.param(case, id=case["id"], marks=pytest.mark.article(*case["articles"]))
            for case in json.loads(path.read_text("utf-8"))["cases"]
            if case["kind"] == "end_to_end"
        ]
    return cases


@pytest.mark.parametrize("case", end_to_end())
def test_a_worked_example_the_whole_way_through_the_database(
    case: dict[str, Any], point: Point
) -> None:
    facts, expected = case["input"], case["expected"]
    rules = rounds.rules(code="worked", **facts.get("bet_type", {}))
    # A person who did not start in a race that the stewards could not classify needs no list.
    races = [
        Race(
            programme=tuple(race["programme"]),
            outcome=Outcome(race["outcome"]),
            **{k: frozenset(race[k]) for k in ("winners", "withdrawn", "left")},
            disqualified=frozenset(race["disqualified"] if race["outcome"] == "run" else ()),
        )
        for race in facts["races"]
    ]
    contest = rounds.contest(rules, [race.programme for race in races], price_cents=facts["price"])
    rounds.fund(accounts.jackpot(rules.code), facts["jackpot_in"])
    rounds.fund(accounts.reserve(rules.code), facts["reserve_in"])
    names = list(facts["tickets"])
    sold = rounds.sell(contest, point, [rounds.masks(facts["tickets"][name]) for name in names])
    rounds.run(contest, races)

    settled = contest_settle(contest_id=contest.pk)

    computed = {key: expected[key] for key in expected if key not in ("units", "ticket_prizes")}
    assert {key: settled.figures[key] for key in computed} == computed
    rows = rounds.prizes(settled)
    none = ([0] * len(rules.categories), 0)
    for name, ticket in zip(names, sold, strict=True):
        wins, cents = rows.get(ticket.pk, none)
        assert dict(zip(map(str, rules.categories), wins, strict=True)) == expected["units"][name]
        assert cents == expected["ticket_prizes"][name]
    assert rounds.balances(contest) == {
        "takings": 0,
        "lapsed": 0,
        "prizes": expected["prizes_total"],
        "jackpot": expected["jackpot_out"],
        "reserve": expected["reserve_out"],
    }
    assert trial_balance(by=factories.staff(Role.AUDITOR)).difference_cents == 0


@pytest.mark.article("14.III.7", "14.III.9.6")
def test_a_settlement_keeps_every_figure(point: Point) -> None:
    contest = closed_contest(point)
    settled = contest_settle(contest_id=contest.pk)
    contest.refresh_from_db()
    assert contest.state == Contest.State.SETTLED
    assert (settled.tickets, settled.bets, settled.winning_tickets) == (4, 4, 3)
    assert (settled.takings_cents, settled.prizes_cents) == (400, 240)
    assert settled.rules == TWO.to_document()
    assert [race["right"] for race in settled.races] == [[1], [1]]
    assert settled.figures["prize_pool"] == 240
    assert sum(settled.figures["organiser_parts"].values()) == 160
    by_category = [
        (c.hits, c.winning_bets, c.prize_cents, c.total_cents)
        for c in settled.categories.order_by("-hits")
    ]
    assert by_category == [(2, 1, 144, 144), (1, 2, 48, 96)]
    rounds.books_agree()


def test_settling_twice_gives_the_settlement_there_is(point: Point) -> None:
    contest = closed_contest(point)
    first = contest_settle(contest_id=contest.pk)
    assert contest_settle(contest_id=contest.pk) == first
    assert Settlement.objects.count() == 1


def test_a_contest_that_sold_nothing_settles_too(point: Point) -> None:
    settled = contest_settle(contest_id=closed_contest(point, tickets=[]).pk)
    assert (settled.tickets, settled.prizes_cents, settled.jackpot_out_cents) == (0, 0, 0)
    rounds.books_agree()


def test_an_unknown_contest_is_said_to_be_unknown() -> None:
    with pytest.raises(ContestUnknown):
        contest_settle(contest_id=2**31)


@pytest.mark.article("14.III.4")
def test_a_contest_on_sale_is_not_settled() -> None:
    contest = rounds.contest(TWO, FOUR_RUNNERS)
    with pytest.raises(ContestNotClosed):
        contest_settle(contest_id=contest.pk)


# --- The order of meetings ------------------------------------------------------------------------


@pytest.mark.article("14.III.9.4", "14.III.9.5", "14.III.9.8")
def test_jackpot_reserve_and_order_pass_from_meeting_to_meeting(point: Point) -> None:
    """Nobody has both right twice; then somebody has, and takes jackpot and reserve."""
    losing = [[(3,), (3,)], [(4,), (2,)]]
    one_right = [[(1,), (2,)], *losing]
    meetings = [losing, one_right, TICKETS]
    balances = {"jackpot": 0, "reserve": 0}
    contests = []
    for tickets in meetings:
        contest = closed_contest(point, tickets=tickets)
        contests.append(contest)
        settled = contest_settle(contest_id=contest.pk)
        expected = distribute(
            Takings(
                takings=100 * len(tickets),
                winners={c.hits: c.winning_bets for c in settled.categories.all()},
                jackpot_in=balances["jackpot"],
                reserve_in=balances["reserve"],
                lapsed_in=0,
            ),
            TWO,
        )
        balances = {"jackpot": expected.jackpot_out, "reserve": expected.reserve_out}
        assert settled.figures == expected.to_document() | {
            "organiser_parts": settled.figures["organiser_parts"]
        }
        chain = chain_balances(TWO.code)
        assert (chain.jackpot_cents, chain.reserve_cents) == (*balances.values(),)
        if tickets is not TICKETS:
            rounds.order(contest)
            rounds.later(1)
    assert balances == {"jackpot": 0, "reserve": 0}
    rounds.books_agree()


@pytest.mark.article("14.III.8.2", "14.III.9.4")
def test_a_meeting_waits_for_the_payment_order_of_the_one_before(point: Point) -> None:
    first = closed_contest(point)
    rounds.later(1)
    second = closed_contest(point)
    assert settlements_due() == [first.pk]
    for state in (Contest.State.CLOSED, Contest.State.SETTLED):
        with pytest.raises(PreviousContestOpen) as refusal:
            contest_settle(contest_id=second.pk)
        assert refusal.value.data == {
            "contest": first.pk,
            "day": first.day.isoformat(),
            "state": state,
        }
        contest_settle(contest_id=first.pk)
    rounds.order(first)
    assert settlements_due() == [second.pk]
    assert contest_settle(contest_id=second.pk).in_force


def test_a_meeting_never_put_on_sale_and_another_chain_hold_up_nobody(point: Point) -> None:
    factories.contest(state=Contest.State.DRAFT)
    closed_contest(point, rules=replace(TWO, code="another"))
    rounds.later(1)
    contest = closed_contest(point)
    assert contest_settle(contest_id=contest.pk).in_force


@pytest.mark.article("14.III.10.7")
def test_lapsed_prizes_are_carried_over_before_a_later_meeting_and_raise_its_jackpot(
    point: Point,
) -> None:
    first = closed_contest(point)
    rounds.order(first)
    rounds.later(40)
    second = closed_contest(point, tickets=[[(3,), (3,)]])
    with pytest.raises(LapsedNotCarriedOver) as refusal:
        contest_settle(contest_id=second.pk)
    assert refusal.value.data == {"contest": first.pk, "cents": 240}
    last = PaymentOrder.objects.get(contest=first).last_claim_day
    assert lapse(first.pk, second.day).cents == 240
    with pytest.raises(LapsedNotCarriedOver) as refusal:
        contest_settle(contest_id=second.pk)
    assert refusal.value.data == {"day": last.isoformat(), "cents": 240}
    assert lapsed_carry_over(contest_id=second.pk) == 240
    assert chain_balances(TWO.code).lapsed_cents == 240
    settled = contest_settle(contest_id=second.pk)
    assert (settled.lapsed_in_cents, settled.figures["tested_jackpot"]) == (240, 240)
    assert settled.jackpot_out_cents == 240 + settled.figures["shares"]["2"]
    assert rounds.balances(second)["lapsed"] == 0
    rounds.books_agree()


# --- Breaches -------------------------------------------------------------------------------------


@pytest.mark.article("14.I.6", "14.III.4")
def test_bets_in_breach_are_voided_before_the_contest_is_settled(point: Point) -> None:
    elsewhere = factories.point(factories.premises(authorised=()))
    contest = rounds.contest(TWO, FOUR_RUNNERS)
    masks = [rounds.masks(numbers) for numbers in TICKETS]
    rounds.sell(contest, point, masks)
    rounds.sell(contest, elsewhere, masks)
    rounds.run(contest, WON_BY_ONE)
    assert not Authorisation.objects.filter(premises=elsewhere.premises).exists()
    with pytest.raises(BreachPending):
        contest_settle(contest_id=contest.pk)
    first, second = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=first, contest_id=contest.pk).uuid, by=second)
    settled = contest_settle(contest_id=contest.pk)
    assert (settled.tickets, settled.takings_cents) == (4, 400)
    assert ledger.balance_cents(accounts.refunds_due(contest.pk)) == 400
    rounds.books_agree()


# --- Correction [B14] -----------------------------------------------------------------------------


@pytest.mark.article("14.III.5.3", "14.III.8.2")
def test_a_corrected_result_reverses_the_settlement_and_it_is_due_again(point: Point) -> None:
    contest = closed_contest(point)
    wrong = contest_settle(contest_id=contest.pk)
    race = factories.races_of(contest)[1]
    entries = [Entry(n, "winner" if n == 2 else "started") for n in (1, 2, 3, 4)]
    first, second = factories.staff(Role.STEWARDS), factories.staff(Role.INSPECTOR)
    correction = classification_correct(
        by=first, race_id=race.pk, runners=entries, reason="Keyed 1 for 2"
    )
    assert settlements_due() == []
    two_persons.confirm(proposal=correction.uuid, by=second)

    wrong.refresh_from_db()
    assert (wrong.in_force, wrong.reversed_by_id) == (False, second.user_id)
    assert rounds.balances(contest) == {
        "takings": 400,
        "prizes": 0,
        "lapsed": 0,
        "jackpot": 0,
        "reserve": 0,
    }
    assert settlements_due() == [contest.pk]
    right = contest_settle(contest_id=contest.pk)
    tickets = list(Ticket.objects.order_by("pk"))
    assert rounds.prizes(right) == {tickets[0].pk: ([0, 1], 96), tickets[1].pk: ([1, 0], 144)}
    assert [s.number for s in settlements_of(contest.pk)] == [2, 1]
    assert len(rounds.prizes(wrong)) == 3, "a reversed settlement is kept whole"
    rounds.books_agree()


@pytest.mark.article("14.III.8.2")
def test_nothing_is_reversed_once_payment_is_ordered(point: Point) -> None:
    contest = closed_contest(point)
    by = factories.staff(Role.STEWARDS)
    with pytest.raises(NotSettled):
        settlement_reverse(contest_id=contest.pk, by=by)
    rounds.order(contest)
    with pytest.raises(NotSettled):
        settlement_reverse(contest_id=contest.pk, by=by)
    with pytest.raises(IntegrityError, match="payment is ordered"), transaction.atomic():
        Settlement.objects.filter(contest=contest).update(in_force=False)


@pytest.mark.article("14.III.7")
def test_a_shipped_bet_type_of_another_number_of_races_settles(point: Point) -> None:
    for code in ("five-races", "eight-races"):
        rules = shipped(code, minimum_prize_percent=Fraction(60))
        runners = tuple(range(1, 32))
        contest = rounds.contest(rules, [runners] * rules.legs)
        rounds.sell(contest, point, [(1 << 30 | 1,) * rules.legs, (1,) * rules.legs])
        rounds.run(contest, [Race(runners, winners=frozenset({31}))] * rules.legs)
        settled = contest_settle(contest_id=contest.pk)
        assert settled.winning_tickets == 1
        assert settled.figures["winners"][str(rules.legs)] == 1
    rounds.books_agree()
