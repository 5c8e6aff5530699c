"""A start is corrected by the video after the settlement, and a winner proves to have bought late.

Scenario: the start is recorded at 17:01:00, sales close, the contest settles: jackpot 90,000.00,
takings 40,000.00, ticket A of 16:50 and ticket B of 17:00:30 both with all seven right, 48,600.00
each. The video says 17:00:00. C9: the settlement is reversed, B is voided and refunded, and the
contest settles again: A gets 97,200.00 less what B's stake of 1.00 brought to the 7/7, which is
30 % of 60 % of 1.00: 97,199.82. While the breach is pending no payment order is given.
"""

import copy
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.ledger.selectors import trial_balance
from core.staff.powers import Role
from lototrot import accounts, tasks
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.models.tickets import Void
from tests.support import factories, rounds
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.lototrot import race_day

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4", "14.III.5.3")]

WINNER = [(1,)] * 7
# 39,998 bets of 1.00 that have at most four races right.
LOSERS = (
    [tuple(range(1, 11))] * 4 + [(2, 3, 4), (2,), (2,)],
    [tuple(range(1, 11))] * 3 + [tuple(range(2, 11)), (2,), (2,), (2,)],
    [tuple(range(1, 11))] * 2 + [tuple(range(2, 11)), (2,), (2,), (2,), (2,)],
    [tuple(range(1, 8))] * 2 + [(2, 3), (2,), (2,), (2,), (2,)],
)


class Day:
    """The race day up to its settlement at the start as first recorded."""

    def __init__(self) -> None:
        self.first_start_at = rounds.NOON.replace(hour=16)  # 17:00 in Madrid
        factories.time_to(self.first_start_at - timedelta(minutes=30))
        meeting = factories.meeting(first_start_at=self.first_start_at)
        closes_at = self.first_start_at + timedelta(minutes=5)
        self.contest = factories.contest(meeting, closes_at=closes_at, max_bets=30_000)
        rounds.fund(accounts.jackpot("lototrot"), 9_000_000)
        self.staff, self.point = race_day.Staff(), factories.point()
        race_day.display(self.contest, self.point)
        self.races = factories.races_of(self.contest)
        factories.time_to(self.at("16:50:00"))
        self.a = race_day.sell(self.contest, self.point, WINNER)
        for losing in LOSERS:
            race_day.sell(self.contest, self.point, losing)
        factories.time_to(self.at("17:00:30"))
        self.b = race_day.sell(self.contest, self.point, WINNER)
        factories.time_to(self.at("17:01:05"))
        self.start(self.races[0], self.at("17:01:00"))
        tasks.seal(self.contest.pk)
        for number, race in enumerate(self.races):
            factories.time_to(self.at("17:05:00") + timedelta(minutes=30 * number))
            if number:
                self.start(race, self.at("17:00:00") + timedelta(minutes=30 * number))
            race_day.classify(self.staff, race, winner=1)
        self.settlement = race_day.settle(self.staff, self.contest)

    def at(self, time: str) -> datetime:
        hour, minute, second = map(int, time.split(":"))
        return self.first_start_at + timedelta(hours=hour - 17, minutes=minute, seconds=second)

    def start(self, race: Race, instant: datetime) -> None:
        body = {"actual_start_at": instant.isoformat(), "source": "Starter"}
        one, two = self.staff.stewards
        race_day.carried_out(one.post(f"lototrot/races/{race.pk}/start", body), two)

    def corrected(self, time: str) -> Any:
        """Propose the start of the first race that the video shows."""
        body = {"actual_start_at": self.at(time).isoformat(), "source": "Video"}
        path = f"lototrot/races/{self.races[0].pk}/start/correction"
        return self.staff.stewards[0].post(path, body)

    def post(self, path: str, by: Api | None = None) -> Any:
        return (by or self.staff.organisers[0]).post(f"lototrot/contests/{self.contest.pk}/{path}")

    def state(self) -> str:
        return str(Contest.objects.get(pk=self.contest.pk).state)

    def prizes(self) -> dict[str, int]:
        answer = self.staff.organisers[0].get(
            f"lototrot/contests/{self.contest.pk}/winning-tickets"
        )
        return {row["ticket"]: row["prize_cents"] for row in answer.json()["items"]}


@pytest.fixture(scope="module")
def settled_day(shared: None) -> Day:
    return Day()


@pytest.fixture
def day(settled_day: Day) -> Day:
    return copy.deepcopy(settled_day)


def test_the_settlement_is_reversed_and_the_ticket_in_time_gets_all(day: Day) -> None:
    a, b = day.a["uuid"], day.b["uuid"]
    assert day.settlement["takings_cents"] == 4_000_000
    assert day.settlement["jackpot_in_cents"] == 9_000_000
    assert {day.prizes()[a], day.prizes()[b]} == {4_860_000}
    first = day.settlement["settlement"]

    race_day.carried_out(day.corrected("17:00:00"), day.staff.stewards[1])
    assert day.state() == "closed", "the breach has reversed the settlement"
    organiser, second = day.staff.organisers
    (listed,) = organiser.get(f"lototrot/contests/{day.contest.pk}/breaches").json()["items"]
    assert (listed["ticket"], listed["reasons"]) == (b, ["after_limit"])
    waiting = organiser.get("alarms").json()["items"]
    assert "lototrot_breach_pending" in {alarm["code"] for alarm in waiting}
    refused(day.post("settlement"), 409, "breach_pending")

    race_day.carried_out(day.post("breaches/void"), second)
    settlement = race_day.settle(day.staff, day.contest)
    assert settlement["takings_cents"] == 3_999_900
    top = settlement["categories"][0]
    assert (top["hits"], top["winning_bets"], top["prize_cents"]) == (7, 1, 9_719_982)
    assert day.prizes()[a] == 9_719_982 and b not in day.prizes()

    kept = Settlement.objects.get(uuid=first)
    assert not kept.in_force and kept.reversed_at is not None
    assert Transfer.objects.filter(reference=kept.uuid).exists()
    assert ledger.balance_cents(accounts.refunds_due(day.contest.pk)) == 100
    assert trial_balance(by=factories.staff(Role.AUDITOR)).difference_cents == 0
    race_day.order(day.staff, day.contest)
    assert day.state() == "ordered"
    waiting = organiser.get("alarms").json()["items"]
    assert "lototrot_breach_pending" not in {alarm["code"] for alarm in waiting}

    paid_at = factories.point(factories.premises())
    check = terminal_api(paid_at).post("claims/check", {"code": day.b["code"]}).json()
    assert (check["state"], check["amount_cents"]) == ("refund_due", 100)


def test_a_correction_without_late_bets_changes_nothing(day: Day) -> None:
    race_day.carried_out(day.corrected("17:00:45"), day.staff.stewards[1])
    assert day.state() == "settled"
    race_day.order(day.staff, day.contest)


def test_one_person_reverses_nothing(day: Day) -> None:
    proposal = day.corrected("17:00:00")
    refused(race_day.confirmed(proposal, day.staff.stewards[0]), 403, "same_person")
    refused(race_day.confirmed(proposal, staff_api(Role.CASHIER)), 403, "power_missing")
    assert day.state() == "settled" and not Void.objects.exists()


def test_a_correction_confirmed_twice_reverses_once(day: Day) -> None:
    proposal = day.corrected("17:00:00")
    for _ in range(2):
        race_day.carried_out(proposal, day.staff.stewards[1])
    assert Settlement.objects.filter(reversed_at__isnull=False).count() == 1


def test_an_order_proposed_before_the_correction_is_not_given_after_it(day: Day) -> None:
    order = day.post("payment-order")
    race_day.carried_out(day.corrected("17:00:00"), day.staff.stewards[1])
    refused(race_day.confirmed(order, day.staff.organisers[1]), 409, "nothing_to_order")
    race_day.carried_out(day.post("breaches/void"), day.staff.organisers[1])
    race_day.settle(day.staff, day.contest)
    refused(race_day.confirmed(order, day.staff.organisers[1]), 409, "settlement_changed")
    assert not PaymentOrder.objects.exists()


def test_after_the_order_the_late_ticket_is_blocked_instead(day: Day) -> None:
    race_day.order(day.staff, day.contest)
    race_day.carried_out(day.corrected("17:00:00"), day.staff.stewards[1])
    assert day.state() == "ordered"
    organiser, second = day.staff.organisers
    waiting = organiser.get("alarms").json()["items"]
    assert "lototrot_breach_pending" in {alarm["code"] for alarm in waiting}
    refused(day.post("breaches/void"), 409, "breach_not_now")
    race_day.carried_out(day.post("breaches/block"), second)
    assert ledger.balance_cents(accounts.held(day.contest.pk)) == 4_860_000
    assert day.prizes()[day.a["uuid"]] == 4_860_000
