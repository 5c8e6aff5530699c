"""A payment order that comes late takes nobody's days away (scenarios 1 and 2, D7; 14.III.10.2)."""

from datetime import date

import pytest
from django.test import Client

from core.alarms.nightly import unanswered
from core.staff.powers import Role
from lototrot.models.settlement import Lapse, PaymentOrder
from tests.support import factories, paying, rounds
from tests.support.admin_desk import Desk
from tests.support.api import Api, refused, terminal_api
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JULY_12, JUNE_8, at, blocked_chain, order_both

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.8.2", "14.III.10.2")]


def terminal() -> Api:
    return terminal_api(factories.point())


def test_a_ticket_presented_on_20_june_counts_and_the_last_day_is_10_august() -> None:
    first, second, (early, torn, paid, late, last, never) = blocked_chain()
    at(date(2030, 6, 20), 11)
    bar = terminal()
    refused(bar.post("claims/payments", early.body(amount_cents=100)), 409, "nothing_decided")
    checked = bar.post("claims/check", {"code": early.code}).json()
    assert (checked["state"], checked["presentable"]) == ("sold", True)
    presented = bar.post("claims/presentations", {"code": early.code, "intact": True})
    assert (presented.status_code, presented.json()["amount_cents"]) == (201, 0)
    again = bar.post("claims/presentations", {"code": early.code, "intact": True})
    assert again.json()["receipt"] == presented.json()["receipt"]
    receipt = rights.deposited(bar, torn, "damaged")
    refused(
        bar.post("claims/presentations", {"code": torn.code, "intact": True}), 409, "held_apart"
    )
    at(date(2030, 7, 9), 1)
    assert rights.night(date(2030, 7, 8)) == 0

    at(JULY_12, 10)
    order_both(first, second)
    order = PaymentOrder.objects.get(contest=second)
    assert (order.first_pay_day, order.last_claim_day) == (date(2030, 6, 9), date(2030, 8, 10))
    assert rights.night(date(2030, 7, 11)) == 0, "today it lapses at once"
    prizes = second.settlements.get(in_force=True).prizes.values_list("prize_cents", flat=True)
    assert len(prizes) == 6
    (cents,) = set(prizes)
    bar = terminal()
    assert bar.post("claims/payments", paid.body(amount_cents=cents)).status_code == 201

    at(date(2030, 8, 10), 23, 50)
    bar = terminal()
    assert bar.post("claims/payments", last.body(amount_cents=cents)).status_code == 201
    presented = bar.post("claims/presentations", {"code": late.code, "intact": True})
    assert presented.json()["amount_cents"] == cents
    at(date(2030, 8, 11), 1)
    assert rights.night(date(2030, 8, 10)) == cents, "the one that nobody brought"
    bar = terminal()
    refused(bar.post("claims/payments", never.body(amount_cents=cents)), 409, "claim_lapsed")
    for ticket in (early, late):
        assert bar.post("claims/payments", ticket.body(amount_cents=cents)).status_code == 201
    desk = paying.desk_api()
    answer = desk.post("office/check", {"deposit": receipt}).json()
    assert (answer["state"], answer["amount_cents"]) == ("deposited", cents)
    rounds.books_agree()


def test_the_blocked_chain_and_the_missing_order_are_alarms_since_june() -> None:
    first, second, _tickets = blocked_chain()
    at(JUNE_8, 23)
    assert rights.alarms("lototrot_order_missing", Role.ORGANISER) == []
    (chain,) = rights.alarms("lototrot_chain_waiting", Role.ORGANISER)
    assert (chain["subject_id"], chain["days_left"]) == (first.pk, 30)
    for day, left in ((date(2030, 6, 9), 29), (date(2030, 6, 20), 18), (date(2030, 7, 10), -2)):
        at(day, 9)
        (order,) = rights.alarms("lototrot_order_missing", Role.ORGANISER)
        (chain,) = rights.alarms("lototrot_chain_waiting", Role.ORGANISER)
        assert (order["subject_id"], order["days_left"]) == (second.pk, left)
        assert order["since"].startswith("2030-06-08T")
        assert (chain["subject_id"], chain["days_left"]) == (first.pk, left)
        assert rights.alarms("lototrot_order_missing", Role.CASHIER) == []
        page = Desk(Role.ORGANISER).get("/admin/")
        assert f"/admin/lototrot/contest/{first.pk}/change/" in page
        metrics = Client().get("/metrics").content.decode()
        assert f'alarm_days_left{{code="lototrot_order_missing"}} {float(left)}' in metrics
        listed = unanswered(day).listed["alarms"]
        codes = {row["code"]: row["days_left"] for row in listed}
        assert codes["lototrot_chain_waiting"] == codes["lototrot_order_missing"] == left
    at(JULY_12, 10)
    order_both(first, second)
    for code in ("lototrot_order_missing", "lototrot_chain_waiting"):
        assert rights.alarms(code, Role.ORGANISER) == []


def test_a_meeting_called_off_and_drawn_ahead_is_payable_from_its_day_on() -> None:
    """Called off on 1 May for 5 June and drawn on 1 May: payable from 6 June, last day 5 July."""
    may_1, june_5 = date(2030, 5, 1), date(2030, 6, 5)
    at(may_1, 9)
    contest = rights.meeting(june_5)
    first_day, last_day, never = paying.tickets(contest, 3)
    at(may_1, 12)
    factories.contest_closed(contest)
    for race in factories.races_of(contest):
        factories.declared(race)
        factories.drawn(race, 1)
    rights.settled(contest)
    order = rights.ordered(contest)
    assert order["results_day"] == "2030-05-01"
    assert (order["first_pay_day"], order["last_claim_day"]) == ("2030-06-06", "2030-07-05")
    cents = contest.settlements.get(in_force=True).prizes.first().prize_cents
    at(june_5, 23, 50)
    refused(
        terminal().post("claims/payments", first_day.body(amount_cents=cents)),
        409,
        "paid_too_early",
    )
    for day in (may_1, date(2030, 5, 31), june_5):
        assert rights.night(day) == 0
    at(date(2030, 6, 6), 0, 5)
    bar = terminal()
    assert bar.post("claims/payments", first_day.body(amount_cents=cents)).status_code == 201
    at(date(2030, 7, 5), 23, 50)
    bar = terminal()
    assert bar.post("claims/payments", last_day.body(amount_cents=cents)).status_code == 201
    at(date(2030, 7, 6), 1)
    assert rights.night(date(2030, 7, 5)) == cents
    refused(terminal().post("claims/payments", never.body(amount_cents=cents)), 409, "claim_lapsed")
    assert Lapse.objects.get(contest=contest).last_claim_day == date(2030, 7, 5)
