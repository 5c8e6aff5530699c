"""The payment order: two persons, once, and for ever (14.III.8)."""

import copy
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from core.database import clock
from core.proofs import log
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.selectors.settlement.results import ResultsMissing
from lototrot.selectors.settlement.unordered import unordered
from lototrot.services.races.classification import Entry
from lototrot.services.races.course import PaymentOrdered
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.settlement import payment_order
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.breach import CorrectionWaits
from lototrot.services.settlement.certificate import PAYMENT_ORDER
from lototrot.services.settlement.classification_correction import classification_correct
from lototrot.services.settlement.payment_order import (
    NothingToOrder,
    OrderDaysMoved,
    SettlementChanged,
    payment_order_propose,
)
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories, rounds
from tests.support.paying import order_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

RULES = rounds.rules(**rounds.TWO_LEGS)
# For contests beside the shared one: a bet type has one contest a day, and a chain of its own.
OTHER_RULES = replace(RULES, code="two-other-legs")
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2


@pytest.fixture(scope="module")
def settled(shared: None) -> Contest:
    """A contest that has been run, its one ticket with both races right, and settled."""
    factories.time_to(rounds.NOON)
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, factories.point(), [(1, 1)])
    rounds.run(new_contest, FACTS)
    contest_settle(contest_id=new_contest.pk)
    new_contest.refresh_from_db()
    return new_contest


@pytest.fixture
def contest(settled: Contest, noon: None) -> Contest:
    return copy.deepcopy(settled)


def order(contest: Contest) -> PaymentOrder:
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    payment_order: PaymentOrder = PaymentOrder.objects.get(contest=contest)
    return payment_order


@pytest.mark.article("14.III.8.1", "14.III.8.2", "14.III.10.2")
def test_the_order_fixes_the_days_of_payment(contest: Contest) -> None:
    payment_order = order(contest)
    contest.refresh_from_db()
    assert contest.state == Contest.State.ORDERED
    assert payment_order.settlement == contest.settlements.get()
    assert payment_order.results_day == contest.day == date(2030, 3, 2)
    assert payment_order.first_pay_day == date(2030, 3, 3)
    assert payment_order.last_claim_day == date(2030, 4, 1)


@pytest.mark.article("14.III.10.2")
def test_the_days_count_from_the_last_result_of_the_contest() -> None:
    new_contest = rounds.contest(OTHER_RULES, [(1, 2, 3)] * 2)
    factories.contest_closed(new_contest)
    early, late = factories.races_of(new_contest)
    now = clock.now()
    factories.classified(early, [1], announced_at=now)
    factories.classified(late, [1], announced_at=now + timedelta(days=1))
    contest_settle(contest_id=new_contest.pk)
    payment_order = order(new_contest)
    assert payment_order.results_day == date(2030, 3, 3)
    assert payment_order.first_pay_day == date(2030, 3, 4)


@pytest.mark.article("14.III.5.4.2", "14.III.8.1")
def test_a_meeting_drawn_before_its_day_is_paid_after_its_day() -> None:
    new_contest = rounds.contest(OTHER_RULES, [(1, 2, 3)] * 2, day=date(2030, 3, 3))
    drawn = [Race((1, 2, 3), winners=frozenset({2}), outcome=Outcome.NOT_RUN)] * 2
    rounds.run(new_contest, drawn)
    contest_settle(contest_id=new_contest.pk)
    payment_order = order(new_contest)
    assert payment_order.results_day == date(2030, 3, 2)
    assert payment_order.first_pay_day == date(2030, 3, 4)
    assert payment_order.last_claim_day == date(2030, 4, 2)


@pytest.mark.article("14.III.10.2")
def test_a_late_order_says_so_and_moves_the_last_day(contest: Contest) -> None:
    """D7: both persons see by how many days; the order fixes what they saw."""
    factories.time_pass(days=34)
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    assert proposal.content["last_claim_day"] == "2030-05-04"
    assert proposal.content["late_days"] == 33
    two_persons.confirm(proposal=proposal.uuid, by=second)
    payment_order = PaymentOrder.objects.get(contest=contest)
    assert (payment_order.last_claim_day, payment_order.claim_days) == (date(2030, 5, 4), 30)
    published = log.published(kind=PAYMENT_ORDER, subject=str(payment_order.settlement.uuid))
    assert published is not None
    assert (published.document["ordered_on"], published.document["claim_days"]) == (
        "2030-04-05",
        30,
    )


@pytest.mark.article("14.III.10.2")
def test_a_late_order_does_not_wait_past_a_midnight_in_silence(contest: Contest) -> None:
    factories.time_pass(days=5)
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    factories.time_pass(hours=20)  # past midnight, within the day that a proposal is good for
    second = factories.another_session(second)
    with pytest.raises(OrderDaysMoved) as caught:
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert caught.value.data == {"proposed": "2030-04-05", "last_claim_day": "2030-04-06"}
    assert not PaymentOrder.objects.exists()


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize("days", [(0, 28), (1, 29), (1, 31)])
def test_the_database_refuses_other_days_than_those_of_the_rule(
    contest: Contest, days: tuple[int, int]
) -> None:
    first, second = (contest.day + timedelta(days=each) for each in days)
    named = {"first_pay_day": first, "last_claim_day": second}
    content = order_of(contest.settlements.get(), {"results_day": contest.day, **named})
    proposal = factories.proposal("lototrot.payment_order", f"contest:{contest.pk}", content)
    with pytest.raises(IntegrityError, match="on other days"), transaction.atomic():
        _insert(contest, proposal, **named)


@pytest.mark.article("14.III.8.2")
def test_the_order_needs_two_persons_with_the_power(contest: Contest) -> None:
    with pytest.raises(PowerMissing):
        payment_order_propose(by=factories.staff(Role.STEWARDS), contest_id=contest.pk)
    first, _ = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    assert proposal.content["prizes_cents"] == 36
    for same in (first, factories.another_session(first)):
        with pytest.raises(SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=same)
    assert not PaymentOrder.objects.exists()


@pytest.mark.article("14.III.8.2")
def test_the_database_refuses_an_order_that_nobody_confirmed(contest: Contest) -> None:
    proposal = payment_order_propose(by=factories.staff(Role.ORGANISER), contest_id=contest.pk)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        _insert(contest, proposal)


def _insert(contest: Contest, proposal: Proposal, **days: date) -> None:
    PaymentOrder.objects.create(
        contest=contest,
        settlement=contest.settlements.get(),
        proposal=proposal,
        ordered_at=clock.now(),
        results_day=contest.day,
        claim_days=30,
        **({"first_pay_day": contest.day, "last_claim_day": contest.day} | days),
    )


@pytest.mark.article("14.III.8.2")
def test_there_is_one_order_and_it_is_not_taken_back(contest: Contest) -> None:
    order(contest)
    with pytest.raises(NothingToOrder):
        payment_order_propose(by=factories.staff(Role.ORGANISER), contest_id=contest.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(state=Contest.State.SETTLED)
    with pytest.raises(ProgrammingError, match="denied"), transaction.atomic():
        PaymentOrder.objects.update(first_pay_day=contest.day)


@pytest.mark.article("14.III.8.2")
def test_after_the_order_a_later_change_of_the_result_has_no_effect(contest: Contest) -> None:
    order(contest)
    race = factories.races_of(contest)[0]
    entries = [Entry(n, "winner" if n == 2 else "started") for n in (1, 2, 3)]
    with pytest.raises(PaymentOrdered):
        classification_correct(
            by=factories.staff(Role.STEWARDS), race_id=race.pk, runners=entries, reason="Doping"
        )


@pytest.mark.article("14.III.8.2")
def test_nothing_is_ordered_while_a_correction_of_a_result_or_of_a_start_waits(
    contest: Contest,
) -> None:
    """[B14, C9]: the order would make a result for good that a person said was mistyped."""
    first, second = factories.two_organisers()
    ordering = payment_order_propose(by=first, contest_id=contest.pk)
    factories.time_pass(minutes=1)
    race, steward = factories.races_of(contest)[0], factories.staff(Role.STEWARDS)
    entries = [Entry(n, "winner" if n == 2 else "started") for n in (1, 2, 3)]
    later = race.starts.get().actual_start_at + timedelta(microseconds=1)
    retyped = classification_correct(
        by=steward, race_id=race.pk, runners=entries, reason="Mistyped"
    )
    with pytest.raises(CorrectionWaits):
        two_persons.confirm(proposal=ordering.uuid, by=second)
    two_persons.reject(proposal=retyped.uuid, by=factories.staff(Role.AUDITOR))
    video = start_correct(by=steward, race_id=race.pk, actual_start_at=later, source="Video")
    with pytest.raises(CorrectionWaits):
        two_persons.confirm(proposal=ordering.uuid, by=second)
    two_persons.reject(proposal=video.uuid, by=factories.staff(Role.STEWARDS))
    two_persons.confirm(proposal=ordering.uuid, by=second)
    assert PaymentOrder.objects.filter(contest=contest).exists()


@pytest.mark.article("14.III.8.2")
def test_the_database_too_refuses_an_order_while_a_correction_waits(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[B14]: where a program does not ask."""
    monkeypatch.setattr(payment_order, "need_no_correction", lambda contest, *, of_results: None)
    first, second = factories.two_organisers()
    ordering = payment_order_propose(by=first, contest_id=contest.pk)
    factories.time_pass(minutes=1)
    race, steward = factories.races_of(contest)[0], factories.staff(Role.STEWARDS)
    entries = [Entry(n, "winner" if n == 2 else "started") for n in (1, 2, 3)]
    later = race.starts.get().actual_start_at + timedelta(microseconds=1)
    waiting = (
        classification_correct(by=steward, race_id=race.pk, runners=entries, reason="Mistyped"),
        start_correct(by=steward, race_id=race.pk, actual_start_at=later, source="Video"),
    )
    for each, other in zip(waiting, (Role.AUDITOR, Role.STEWARDS), strict=True):
        with pytest.raises(IntegrityError, match="a correction of a"), transaction.atomic():
            two_persons.confirm(proposal=ordering.uuid, by=second)
            connection.check_constraints()
        two_persons.reject(proposal=each.uuid, by=factories.staff(other))
    two_persons.confirm(proposal=ordering.uuid, by=second)
    connection.check_constraints()


@pytest.mark.article("14.III.5.4.1", "14.III.8.2")
def test_a_withdrawal_that_no_classification_has_keeps_the_payment_from_being_ordered(
    contest: Contest,
) -> None:
    """[B14]: the settlement stands, and the night's audit and the alarm go on."""
    factories.time_pass(minutes=1)
    race = factories.races_of(contest)[0]
    start = race.starts.get()
    withdrawal = withdrawal_enter(
        by=factories.staff(Role.STEWARDS),
        race_id=race.pk,
        number=3,
        source="Announced text",
        effective_at=start.actual_start_at - timedelta(seconds=1),
    )
    one, two = factories.two_stewards()
    with pytest.raises(ResultsMissing):
        payment_order_propose(by=factories.staff(Role.ORGANISER), contest_id=contest.pk)
    assert audit_contests().findings == []
    assert [each.contest for each in unordered()] == [contest]
    two_persons.reject(proposal=withdrawal.proposal.uuid, by=two)
    later = start.actual_start_at + timedelta(microseconds=1)
    proposal = start_correct(by=one, race_id=race.pk, actual_start_at=later, source="Video")
    two_persons.confirm(proposal=proposal.uuid, by=two)
    assert audit_contests().findings == [], "a corrected start changes no result"
    assert order(contest)


def test_nothing_is_ordered_before_the_settlement() -> None:
    new_contest = rounds.contest(OTHER_RULES, [(1, 2, 3)] * 2)
    with pytest.raises(NothingToOrder):
        payment_order_propose(by=factories.staff(Role.ORGANISER), contest_id=new_contest.pk)


def test_the_order_is_for_the_settlement_that_was_proposed(contest: Contest) -> None:
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    settlement_reverse(contest_id=contest.pk, by=first)
    contest_settle(contest_id=contest.pk)
    with pytest.raises(SettlementChanged):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert not PaymentOrder.objects.exists()
