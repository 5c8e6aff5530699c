"""Handle breaches, settlement, payment order, winning tickets and jackpot through the API."""

import copy
from datetime import timedelta
from typing import Any

import pytest
from kombu.exceptions import OperationalError as BrokerError

from core.database import clock
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import accounts, tasks
from lototrot.models.contest import Contest
from lototrot.models.running import RaceStart
from lototrot.models.tickets import Ticket, Void
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.api import Api, refused, staff_api
from tests.support.factories import Point

pytestmark = pytest.mark.django_db
SETTLEMENTS = "lototrot/settlements"


@pytest.fixture
def one() -> Api:
    return staff_api(Role.ORGANISER)


@pytest.fixture
def two() -> Api:
    return staff_api(Role.ORGANISER)


@pytest.fixture(scope="module")
def closed(shared: None) -> tuple[Point, Contest]:
    """Return a closed contest; two of its three tickets have all seven legs right if number 1 wins
    each.
    """
    place, new_contest = factories.point(), factories.contest()
    for numbers in ([(1,)] * 7, [(1, 2)] + [(1,)] * 6, [(2,)] * 7):
        assert factories.sell(new_contest, place, numbers).outcome == "sold"
    factories.contest_closed(new_contest)
    return place, new_contest


@pytest.fixture
def place(closed: tuple[Point, Contest]) -> Point:
    return copy.deepcopy(closed[0])


@pytest.fixture
def contest(closed: tuple[Point, Contest]) -> Contest:
    return copy.deepcopy(closed[1])


@pytest.fixture
def run(contest: Contest) -> Contest:
    for race in factories.races_of(contest):
        factories.started(race, at=clock.now() + timedelta(0))
        factories.classified(race, {1}, start=False)
    return contest


@pytest.fixture
def settled(run: Contest) -> Contest:
    rounds.fund(accounts.jackpot(run.bet_type_code), 50_000)
    contest_settle(contest_id=run.pk)
    run.refresh_from_db()
    return run


def path(contest: Contest, last: str) -> str:
    return f"lototrot/contests/{contest.pk}/{last}"


def proposed() -> bool:
    """Return whether a payment order or an act on bets in breach is proposed."""
    kinds = ("lototrot.payment_order", "lototrot.breach_void", "lototrot.breach_block")
    return Proposal.objects.filter(kind__in=kinds).exists()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    statuses: list[int] = []
    monkeypatch.setattr(tasks.settle, "delay", statuses.append)
    return statuses


def test_a_worker_is_told_to_settle(one: Api, run: Contest, sent: list[int]) -> None:
    answer = one.post(path(run, "settlement"))
    assert answer.status_code == 202, answer.content
    assert answer.json() == {"contest": run.pk, "state": "closed", "sent": True}
    assert sent == [run.pk]
    contest_settle(contest_id=run.pk)
    again = one.post(path(run, "settlement")).json()
    assert again == {"contest": run.pk, "state": "settled", "sent": False}
    assert sent == [run.pk]


def test_a_broker_out_of_reach_only_delays(
    one: Api, run: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: int) -> None:
        raise BrokerError("connection refused")

    monkeypatch.setattr(tasks.settle, "delay", away)
    answer = one.post(path(run, "settlement"))
    assert answer.status_code == 202
    assert answer.json()["sent"] is False


def test_what_keeps_a_contest_from_being_settled(
    one: Api, contest: Contest, sent: list[int]
) -> None:
    problem = refused(one.post(path(contest, "settlement")), 409, "results_missing")
    assert {gap["code"] for gap in problem["data"]["missing"]} == {
        "classification_missing",
        "start_missing",
    }
    for race in factories.races_of(contest):
        factories.declared(race)
    refused(one.post(path(contest, "settlement")), 409, "draw_required")
    other = factories.contest(factories.meeting(day=contest.day + timedelta(days=1)))
    refused(one.post(path(other, "settlement")), 409, "contest_not_closed")
    factories.contest_closed(other)
    refused(one.post(path(other, "settlement")), 409, "previous_contest_open")
    refused(one.post("lototrot/contests/999999/settlement"), 404, "contest_unknown")
    assert sent == []


@pytest.mark.article("14.III.9.1", "14.III.9.2", "14.III.9.6")
def test_a_settlement_shows_every_figure(one: Api, settled: Contest) -> None:
    answer = one.get(path(settled, "settlement")).json()
    assert answer["contest"] == settled.pk
    assert answer["in_force"]
    assert (answer["tickets"], answer["bets"], answer["takings_cents"]) == (3, 4, 400)
    assert answer["jackpot_in_cents"] == 50_000
    assert answer["winning_tickets"] == 2
    top = answer["categories"][0]
    assert (top["hits"], top["winning_bets"]) == (7, 2)
    assert top["total_cents"] == 2 * top["prize_cents"]
    assert answer["prizes_cents"] == sum(each["total_cents"] for each in answer["categories"])
    figures = answer["figures"]
    for name in ("prize_pool", "shares", "after_cascade", "before_correction", "prize_each"):
        assert name in figures
    assert answer["rules"]["legs"] == 7
    assert len(answer["races"]) == 7
    assert answer["payment_order"] is None
    (listed,) = one.get(SETTLEMENTS, contest=settled.pk, in_force="false").json()["items"]
    assert listed["settlement"] == answer["settlement"]
    assert "figures" not in listed


@pytest.mark.article("14.III.8.2")
def test_a_reversed_settlement_is_listed_where_that_is_asked(one: Api, settled: Contest) -> None:
    """[B14]"""

    def listed(**query: Any) -> list[tuple[int, bool, bool]]:
        items = one.get(SETTLEMENTS, **query).json()["items"]
        return [(each["number"], each["in_force"], each["reversed_at"] is None) for each in items]

    settlement_reverse(contest_id=settled.pk, by=factories.staff(Role.STEWARDS))
    gone = (1, False, False)
    assert listed(contest=settled.pk) == listed(bet_type=settled.bet_type_code) == []
    assert listed(contest=settled.pk, in_force="false") == [gone]
    contest_settle(contest_id=settled.pk)
    assert listed(contest=settled.pk) == listed() == [(2, True, True)]
    assert listed(bet_type=settled.bet_type_code, in_force="false") == [(2, True, True), gone]


def test_no_settlement_yet(one: Api, contest: Contest) -> None:
    refused(one.get(path(contest, "settlement")), 404, "settlement_unknown")
    refused(one.get(path(contest, "winning-tickets")), 404, "settlement_unknown")
    assert one.get(SETTLEMENTS, contest=contest.pk).json() == {"items": [], "next": None}
    refused(one.get(SETTLEMENTS, contest=999999), 404, "contest_unknown")


@pytest.mark.article("14.III.8.2")
def test_the_payment_order_is_given_by_two(one: Api, two: Api, settled: Contest) -> None:
    answer = one.post(path(settled, "payment-order"))
    assert answer.status_code == 201, answer.content
    proposal = answer.json()["proposal"]
    refused(one.post(path(settled, "payment-order")), 409, "proposal_pending")
    refused(one.post(f"proposals/{proposal}/confirmation"), 403, "same_person")
    assert one.get(path(settled, "settlement")).json()["payment_order"] is None
    assert two.post(f"proposals/{proposal}/confirmation").status_code == 200
    order = one.get(path(settled, "settlement")).json()["payment_order"]
    assert order["results_day"] < order["first_pay_day"] < order["last_claim_day"]
    refused(one.post(path(settled, "payment-order")), 409, "nothing_to_order")


def test_nothing_to_order(one: Api, run: Contest) -> None:
    refused(one.post(path(run, "payment-order")), 409, "nothing_to_order")
    refused(one.post("lototrot/contests/999999/payment-order"), 404, "contest_unknown")
    assert not proposed()


def test_the_winning_tickets_page_by_page(one: Api, settled: Contest) -> None:
    first = one.get(path(settled, "winning-tickets"), limit=1).json()
    second = one.get(path(settled, "winning-tickets"), limit=1, cursor=first["next"]).json()
    rows = [*first["items"], *second["items"]]
    tickets = Ticket.objects.order_by("pk")[:2]
    assert [row["ticket"] for row in rows] == [str(ticket.uuid) for ticket in tickets]
    assert [row["winning_bets"] for row in rows] == [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert second["next"] is None
    total = one.get(path(settled, "settlement")).json()["prizes_cents"]
    assert sum(row["prize_cents"] for row in rows) == total
    assert [row["premises"] for row in rows] == [ticket.premises.code for ticket in tickets]


def test_the_winning_tickets_from_an_amount_on(one: Api, settled: Contest) -> None:
    def prizes(**query: object) -> list[int]:
        answer = one.get(path(settled, "winning-tickets"), **query).json()
        return [row["prize_cents"] for row in answer["items"]]

    small, large = prizes()
    assert small < large
    assert prizes(from_cents=small) == [small, large]
    assert prizes(from_cents=small + 1) == prizes(from_cents=large) == [large]
    assert prizes(from_cents=large + 1) == []
    for amount in (-1, "1.50", "many"):
        listed = one.get(path(settled, "winning-tickets"), from_cents=amount)
        refused(listed, 422, "fields_invalid")


@pytest.mark.article("14.III.9.5", "14.III.9.8")
def test_jackpot_and_reserve_from_meeting_to_meeting(one: Api, settled: Contest) -> None:
    code = settled.bet_type_code
    now = one.get(f"lototrot/bet-types/{code}/jackpot").json()
    figures = one.get(path(settled, "settlement")).json()
    assert now["jackpot_cents"] == figures["jackpot_out_cents"] == 0
    assert now["reserve_cents"] == figures["reserve_out_cents"]
    assert now["next_contest"] is None
    (row,) = one.get(SETTLEMENTS, bet_type=code).json()["items"]
    assert (row["contest"], row["jackpot_in_cents"]) == (settled.pk, 50_000)
    assert row["day"] == settled.day.isoformat()
    nothing = one.get(SETTLEMENTS, bet_type="none").json()
    assert nothing == {"items": [], "next": None}


# --- Breaches -------------------------------------------------------------------------------------


@pytest.fixture
def breached(contest: Contest) -> Contest:
    """Return the last ticket, which turns out to be sold after the start."""
    first = factories.races_of(contest)[0]
    by = factories.staff()
    sold_at = Ticket.objects.latest("pk").sold_at
    RaceStart.objects.create(
        race=first,
        actual_start_at=sold_at,
        source="Film",
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
        proposal=factories.proposal(
            "lototrot.start", "x", factories.start_of(first, sold_at, "Film")
        ),
    )
    return contest


@pytest.mark.article("14.I.6", "14.III.4")
def test_breaches_are_listed_and_voided_by_two(
    one: Api, two: Api, breached: Contest, place: Point
) -> None:
    last = Ticket.objects.latest("pk")
    (row,) = one.get(path(breached, "breaches")).json()["items"]
    assert row["ticket"] == str(last.uuid)
    assert row["reasons"] == ["after_limit"]
    assert (row["premises"], row["terminal"]) == (place.premises.code, place.terminal.code)
    refused(one.post(path(breached, "settlement")), 409, "results_missing")
    answer = one.post(path(breached, "breaches/void")).json()
    assert answer["content"]["tickets"] == 1
    assert two.post(f"proposals/{answer['proposal']}/confirmation").status_code == 200
    assert Void.objects.get().ticket == last
    assert one.get(path(breached, "breaches")).json()["items"] == []
    refused(one.post(path(breached, "breaches/void")), 409, "no_breach")


def test_breaches_page_by_page(one: Api, contest: Contest) -> None:
    factories.started(factories.races_of(contest)[0], at=clock.now() - timedelta(hours=1))
    first = one.get(path(contest, "breaches"), limit=2).json()
    second = one.get(path(contest, "breaches"), limit=2, cursor=first["next"]).json()
    rows = [row["ticket"] for row in (*first["items"], *second["items"])]
    assert rows == [str(t.uuid) for t in Ticket.objects.order_by("pk")]
    assert second["next"] is None
    refused(one.get(path(contest, "breaches"), cursor="!"), 422, "cursor_invalid")
    refused(one.get("lototrot/contests/999999/breaches"), 404, "contest_unknown")


def test_breaches_refused(one: Api, contest: Contest) -> None:
    refused(one.post(path(contest, "breaches/void")), 409, "breach_limit_unknown")
    refused(one.post(path(contest, "breaches/block")), 409, "breach_not_now")
    refused(one.post("lototrot/contests/999999/breaches/void"), 404, "contest_unknown")
    assert not proposed()


def test_bets_in_breach_keep_a_contest_from_being_settled(
    one: Api, breached: Contest, sent: list[int]
) -> None:
    for number, race in enumerate(factories.races_of(breached)):
        factories.classified(race, {1}, start=number > 0)
    refused(one.post(path(breached, "settlement")), 409, "breach_pending")
    assert sent == []


# --- Who ------------------------------------------------------------------------------------------


def test_who_settles_orders_and_lists(settled: Contest, sent: list[int]) -> None:
    acts: list[tuple[str, set[Role]]] = [
        ("settlement", {Role.ORGANISER}),
        ("payment-order", {Role.ORGANISER}),
        ("breaches/void", {Role.ORGANISER}),
        ("breaches/block", {Role.ORGANISER}),
    ]
    for last, roles in acts:
        refused(Api().post(path(settled, last)), 401, "credentials_missing")
        for role in set(Role) - roles:
            refused(staff_api(role).post(path(settled, last)), 403, "power_missing")
    for role in Role:
        api: Any = staff_api(role)
        assert api.get(path(settled, "settlement")).status_code == 200
        listed = api.get(path(settled, "winning-tickets"))
        if role in (Role.ORGANISER, Role.AUDITOR):
            assert listed.status_code == 200
        else:
            refused(listed, 403, "power_missing")
    assert not proposed()
