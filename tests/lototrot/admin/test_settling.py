"""Void or block bets in breach, settle, and order the payment in the admin."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.models.tickets import Block, Ticket, Void
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.admin_desk import (
    Desk,
    act_url,
    confirm_pending,
    race_day,
    row_url,
    text_of,
)

pytestmark = pytest.mark.django_db


def _closed() -> Contest:
    contest, point = factories.contest(), factories.point()
    for number in (1, 2):
        factories.sell(contest, point, [(number,)] * 7)
    factories.time_pass(hours=6)
    factories.contest_closed(contest, at=contest.scheduled_close_at, cause="schedule")
    return contest


def test_settlement_and_payment_order(
    organiser: Desk, django_capture_on_commit_callbacks: Any
) -> None:
    contest = _closed()
    refusal = organiser.refused(contest, "settle", "results_missing")
    assert "classification_missing" in refusal
    for race in factories.races_of(contest):
        factories.classified(race, [1])
    with patch.object(tasks.settle, "delay") as sent:
        with django_capture_on_commit_callbacks(execute=True):
            organiser.do(contest, "settle")
        sent.assert_called_once_with(contest.pk)
        sent.side_effect = ConnectionError("no broker")
        with django_capture_on_commit_callbacks(execute=True):
            organiser.do(contest, "settle")  # the sweeper will find it
    settlement = contest_settle(contest_id=contest.pk)
    page = text_of(organiser.client.get(row_url(settlement)))
    assert "prize pool" in page.lower()
    assert "€1.20" in page  # 60 % of two bets
    assert "Winning tickets 1" in text_of(organiser.client.get(act_url(contest, "order")))
    organiser.do(contest, "order")
    organiser.refused(Proposal.objects.get(kind="lototrot.payment_order"), "confirm", "same_person")
    assert not PaymentOrder.objects.exists()
    confirm_pending("lototrot.payment_order", Role.ORGANISER)
    assert PaymentOrder.objects.get().settlement == settlement
    assert not organiser.offers(contest, "order")


def test_no_order_is_offered_while_a_withdrawal_is_not_in_the_classification(
    organiser: Desk,
) -> None:
    """[B6, B14]: the page of the order ended with an error, and nobody was told what is missing."""
    contest = rounds.settled(factories.point())
    assert organiser.offers(contest, "order")
    race, (one, _two) = factories.races_of(contest)[0], factories.two_stewards()
    withdrawal_enter(
        by=one,
        race_id=race.pk,
        number=3,
        source="Announced text",
        effective_at=race.starts.get().actual_start_at - timedelta(seconds=1),
    )
    words = "A withdrawal waits for its second person"
    assert words in text_of(organiser.client.get(row_url(contest)))
    assert not organiser.offers(contest, "order")
    assert organiser.client.get(act_url(contest, "order")).status_code == 200
    organiser.refused(contest, "order", "results_missing")


def test_bets_in_breach_are_listed_and_voided_all_together(organiser: Desk) -> None:
    contest = _closed()
    race = factories.races_of(contest)[0]
    organiser.refused(contest, "breach_void", "breach_limit_unknown")
    first, second = Ticket.objects.order_by("pk")
    assert not organiser.offers(contest, "breach_void"), "there are none"
    factories.started(race, at=second.sold_at)
    assert organiser.offers(contest, "breach_void")
    page = text_of(organiser.client.get(act_url(contest, "breach_void")))
    assert str(second.uuid) in page
    assert "After the start" in page
    assert str(first.uuid) not in page
    organiser.do(contest, "breach_void")
    assert not Void.objects.exists()
    confirm_pending("lototrot.breach_void", Role.ORGANISER)
    assert Void.objects.get().ticket == second
    assert "Refund due" in text_of(Desk(Role.AUDITOR).client.get(row_url(second)))


def test_bets_found_in_breach_late_are_blocked(organiser: Desk) -> None:
    day = race_day()
    assert not organiser.offers(day.contest, "breach_block"), "there are none"
    place = day.point.premises
    for authorisation in place.authorisations.all():
        factories.ended(authorisation, authorisation.valid_from)
    organiser.do(day.contest, "breach_block")
    confirm_pending("lototrot.breach_block", Role.ORGANISER)
    assert Block.objects.count() == 2
