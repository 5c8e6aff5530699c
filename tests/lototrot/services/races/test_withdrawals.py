"""Withdrawals: off sale at once, confirmed by a second person, reversible until the start."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from lototrot.engine.races import NumberNotInProgramme
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, Withdrawal
from lototrot.models.settlement import PaymentOrder
from lototrot.selectors.contests import RaceUnknown
from lototrot.selectors.races import race_record
from lototrot.services.races.course import (
    DrawCertified,
    InstantAhead,
    PaymentOrdered,
)
from lototrot.services.races.declarations import Left
from lototrot.services.races.withdrawals import (
    AlreadyWithdrawn,
    NoStarterLeft,
    WithdrawalIrreversible,
    WithdrawalTooLate,
    WithdrawalUnconfirmed,
    WithdrawalUnknown,
    withdrawal_enter,
    withdrawal_reverse,
)
from lototrot.services.reasons import ReasonMissing, SourceMissing
from tests.support import factories as f
from tests.support import paying, rounds
from tests.support.lototrot.starting import declare, start

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.1")]


def enter(race: Race, number: int = 4, **more) -> Withdrawal:
    by = more.pop("by", None) or f.staff(Role.STEWARDS)
    return withdrawal_enter(by=by, race_id=race.pk, number=number, source="Stewards' call", **more)


def test_a_withdrawn_number_is_off_sale_at_once(contest: Contest, race: Race) -> None:
    point = f.point()
    marked = [(4,), *[(1,)] * 6]
    assert f.sell(contest, point, marked).outcome == "sold"
    enter(race)
    refused = f.sell(contest, point, marked)
    assert (refused.outcome, refused.leg) == ("withdrawn_number", 1)
    assert f.sell(contest, point, [(1, 4), *[(1,)] * 6]).outcome == "withdrawn_number"
    assert f.sell(contest, point, [(1,), (4,), *[(1,)] * 5]).outcome == "sold"


def test_every_open_contest_with_the_race_stops_offering_it(contest: Contest, race: Race) -> None:
    other = f.contest(contest.meeting, kind="five-races")
    enter(race)
    for each in (contest, other):
        each.refresh_from_db()
        assert not each.offered_masks[0] & 0b1000
        assert each.offered_masks[1] == 0b1111111111


def test_a_draft_contest_will_not_offer_it_either(race: Race) -> None:
    draft = f.contest(race.meeting, kind="five-races", state=Contest.State.DRAFT)
    enter(race)
    draft.refresh_from_db()
    assert not draft.offered_masks[0] & 0b1000


def test_a_second_person_confirms(race: Race) -> None:
    first, second = f.two_stewards()
    withdrawal = enter(race, by=first)
    assert withdrawal.confirmed_at is None
    assert race_record(race.pk).unconfirmed == (4,)
    two_persons.confirm(proposal=withdrawal.proposal.uuid, by=second)
    two_persons.confirm(proposal=withdrawal.proposal.uuid, by=second)
    withdrawal.refresh_from_db()
    assert withdrawal.confirmed_at is not None
    assert race_record(race.pk).unconfirmed == ()


def test_the_same_person_cannot_confirm(race: Race) -> None:
    first = f.staff(Role.STEWARDS)
    withdrawal = enter(race, by=first)
    for same in (first, f.another_session(first)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=withdrawal.proposal.uuid, by=same)
    withdrawal.refresh_from_db()
    assert withdrawal.confirmed_at is None


@pytest.mark.parametrize("same", ["person", "session"])
def test_the_database_refuses_one_person(race: Race, same: str) -> None:
    first, second = f.two_stewards()
    proposal = enter(race, by=first).proposal
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(
            proposal=proposal,
            verdict="confirmed",
            decided_at=clock.now(),
            decided_by_id=(first if same == "person" else second).user_id,
            decided_in_id=(f.another_session(first) if same == "person" else first).session_id,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_database_refuses_a_confirmation_nobody_made(race: Race) -> None:
    withdrawal = enter(race)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Withdrawal.objects.filter(pk=withdrawal.pk).update(confirmed_at=clock.now())


def test_the_database_refuses_a_reversal_nobody_made(race: Race) -> None:
    withdrawal = enter(race)
    two_persons.confirm(proposal=withdrawal.proposal.uuid, by=f.staff(Role.STEWARDS))
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Withdrawal.objects.filter(pk=withdrawal.pk).update(reversed_at=clock.now())
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Withdrawal.objects.filter(pk=withdrawal.pk).update(
            reversed_at=clock.now(), reversal=f.proposal("lototrot.withdrawal", "other")
        )


def test_a_rejected_withdrawal_is_offered_again(contest: Contest, race: Race) -> None:
    withdrawal = enter(race)
    two_persons.reject(
        proposal=withdrawal.proposal.uuid, by=f.staff(Role.STEWARDS), reason="Wrong race"
    )
    withdrawal.refresh_from_db()
    assert withdrawal.reversed_at and withdrawal.reversed_reason == "Wrong race"
    assert f.sell(contest, f.point(), [(4,), *[(1,)] * 6]).outcome == "sold"
    assert race_record(race.pk).withdrawn == frozenset()


def test_a_confirmed_withdrawal_is_reversed_by_two_persons(contest: Contest, race: Race) -> None:
    first, second = f.two_stewards()
    withdrawal = enter(race, by=first)
    two_persons.confirm(proposal=withdrawal.proposal.uuid, by=second)
    proposal = withdrawal_reverse(by=first, withdrawal_id=withdrawal.pk, reason="Wrong race")
    assert f.sell(contest, f.point(), [(4,), *[(1,)] * 6]).outcome == "withdrawn_number"
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=first)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    withdrawal.refresh_from_db()
    assert withdrawal.reversed_at and withdrawal.reversal == proposal
    assert f.sell(contest, f.point(), [(4,), *[(1,)] * 6]).outcome == "sold"
    again = enter(race)
    assert again.pk != withdrawal.pk


def test_an_unconfirmed_one_is_rejected_not_reversed(race: Race) -> None:
    withdrawal = enter(race)
    with pytest.raises(WithdrawalUnconfirmed):
        withdrawal_reverse(by=f.staff(Role.STEWARDS), withdrawal_id=withdrawal.pk, reason="x")


def test_what_cannot_be_reversed_is_named(race: Race) -> None:
    by = f.staff(Role.STEWARDS)
    with pytest.raises(WithdrawalUnknown):
        withdrawal_reverse(by=by, withdrawal_id=0, reason="x")
    with pytest.raises(ReasonMissing):
        withdrawal_reverse(by=by, withdrawal_id=f.withdrawal(race, 4).pk, reason=" ")


def test_nothing_is_reversed_after_the_start(race: Race) -> None:
    first, second = f.two_stewards()
    unconfirmed, confirmed, late = (enter(race, number, by=first) for number in (4, 5, 6))
    two_persons.confirm(proposal=confirmed.proposal.uuid, by=second)
    proposed = withdrawal_reverse(by=first, withdrawal_id=confirmed.pk, reason="x")
    f.started(race)
    with pytest.raises(WithdrawalIrreversible):
        two_persons.confirm(proposal=proposed.uuid, by=second)
    with pytest.raises(WithdrawalIrreversible):
        two_persons.reject(proposal=unconfirmed.proposal.uuid, by=second)
    two_persons.reject(proposal=proposed.uuid, by=second)
    with pytest.raises(WithdrawalIrreversible):
        withdrawal_reverse(by=first, withdrawal_id=confirmed.pk, reason="x")
    two_persons.confirm(proposal=late.proposal.uuid, by=second)
    assert race_record(race.pk).withdrawn == {4, 5, 6}


def test_refusals_name_what_is_wrong(race: Race) -> None:
    with pytest.raises(RaceUnknown):
        withdrawal_enter(by=f.staff(Role.STEWARDS), race_id=0, number=4, source="x")
    with pytest.raises(NumberNotInProgramme):
        enter(race, 11)
    with pytest.raises(SourceMissing):
        withdrawal_enter(by=f.staff(Role.STEWARDS), race_id=race.pk, number=4, source=" ")
    with pytest.raises(InstantAhead):
        enter(race, effective_at=clock.now() + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        enter(race, effective_at=clock.now().replace(tzinfo=None))
    with pytest.raises(PowerMissing):
        enter(race, by=f.in_both_roles(Role.CASHIER, Role.AUDITOR, Role.ADMINISTRATOR))
    enter(race)
    with pytest.raises(AlreadyWithdrawn):
        enter(race)
    withdrawals = Proposal.objects.filter(kind="lototrot.withdrawal")
    assert Withdrawal.objects.count() == withdrawals.count() == 1


def test_a_refusal_leaves_no_proposal(contest: Contest, race: Race) -> None:
    with pytest.raises(NumberNotInProgramme):
        enter(race, 31)
    assert not Proposal.objects.filter(kind="lototrot.withdrawal").exists()
    contest.refresh_from_db()
    assert contest.offered_masks[0] == 0b1111111111


def test_a_late_record_counts_if_it_was_effective_before_the_start(race: Race) -> None:
    before = clock.now()
    f.time_pass(minutes=1)
    start = f.started(race)
    f.time_pass(minutes=1)
    with pytest.raises(WithdrawalTooLate):
        enter(race)
    with pytest.raises(WithdrawalTooLate):
        enter(race, effective_at=start.actual_start_at)
    withdrawal = enter(race, effective_at=before)
    two_persons.confirm(proposal=withdrawal.proposal.uuid, by=f.staff(Role.STEWARDS))
    assert race_record(race.pk).withdrawn == {4}


def test_a_wrong_number_entered_after_the_start_is_not_a_withdrawal_for_ever(race: Race) -> None:
    """[B6]: it stood for no ticket. The horse ran, and the classification must name it."""
    before = clock.now()
    f.time_pass(minutes=1)
    f.started(race)
    first, second = f.two_stewards()
    wrong, confirmed = (enter(race, n, by=first, effective_at=before) for n in (4, 5))
    two_persons.reject(proposal=wrong.proposal.uuid, by=second, reason="It was number 6")
    two_persons.confirm(proposal=confirmed.proposal.uuid, by=second)
    assert race_record(race.pk).withdrawn == {5}
    reversal = withdrawal_reverse(by=first, withdrawal_id=confirmed.pk, reason="It was number 6")
    two_persons.confirm(proposal=reversal.uuid, by=second)
    assert race_record(race.pk).withdrawn == frozenset()
    f.classified(race, {5})


def test_one_that_proves_later_than_the_start_is_no_withdrawal(race: Race) -> None:
    """Entered before the start was reported: only its time before the start makes it count."""
    began = clock.now()
    f.time_pass(minutes=1)
    withdrawal = enter(race)
    f.started(race, at=began)
    assert race_record(race.pk).withdrawn == frozenset()
    with pytest.raises(WithdrawalTooLate):
        two_persons.confirm(proposal=withdrawal.proposal.uuid, by=f.staff(Role.STEWARDS))
    two_persons.reject(proposal=withdrawal.proposal.uuid, by=f.staff(Role.STEWARDS))
    again = enter(race, effective_at=began - timedelta(minutes=2))
    assert race_record(race.pk).withdrawn == {again.number}


def test_all_may_be_withdrawn_before_the_start_but_not_after_it(race: Race) -> None:
    """[B7]"""
    before = clock.now()
    for number in range(1, 10):
        f.withdrawal(race, number)
    enter(race, 10)
    assert race_record(race.pk).withdrawn == set(range(1, 11))
    ran = f.races_of(Contest.objects.get())[1]
    for number in range(1, 10):
        f.withdrawal(ran, number)
    f.started(ran)
    with pytest.raises(NoStarterLeft):
        enter(ran, 10, effective_at=before)


def test_those_left_at_the_start_are_no_starters_either(race: Race) -> None:
    """[B5, B6]"""
    before = clock.now()
    for number in range(1, 9):
        f.withdrawal(race, number)
    start(race)
    f.time_pass(minutes=1)
    declare(race, RaceDeclaration.Kind.SUSPENDED, left=[Left(9, "Refused")])
    with pytest.raises(NoStarterLeft):
        enter(race, 10, effective_at=before)
    enter(race, 9, effective_at=before)
    assert race_record(race.pk).facts().started == (10,)


def test_a_race_not_run_takes_those_withdrawn_by_its_declaration(race: Race) -> None:
    """[B7]"""
    declaration = f.declared(race)
    with pytest.raises(WithdrawalTooLate):
        enter(race)
    enter(race, effective_at=declaration.declared_at)
    assert race_record(race.pk).withdrawn == {4}


def test_what_stood_at_the_start_stays_once_classified_and_all_once_drawn_or_ordered(
    contest: Contest, race: Race
) -> None:
    before = clock.now()
    withdrawal = f.withdrawal(race, 4)
    f.time_pass(minutes=1)
    f.classified(race, [1])
    with pytest.raises(WithdrawalIrreversible):
        withdrawal_reverse(by=f.staff(Role.STEWARDS), withdrawal_id=withdrawal.pk, reason="x")
    f.contest_closed(contest)
    settlement = rounds.bare_settlement(contest)
    for state in ("settled", "ordered"):
        Contest.objects.filter(pk=contest.pk).update(state=state)
    days = paying.terms(contest)
    PaymentOrder.objects.create(
        contest=contest,
        settlement=settlement,
        proposal=f.proposal("lototrot.payment_order", "x", paying.order_of(settlement, days)),
        **days,
    )
    with pytest.raises(PaymentOrdered):
        enter(race, 5, effective_at=before)
    drawn = f.races_of(Contest.objects.get())[1]
    f.declared(drawn)
    f.drawn(drawn, 2)
    with pytest.raises(DrawCertified):
        enter(drawn, 5, effective_at=before)
