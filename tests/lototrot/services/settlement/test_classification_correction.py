"""Correct a keying error in a classification by two persons, until payment is ordered [B14]."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.engine.races import substitute
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import Classification
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.selectors.races import race_record
from lototrot.selectors.settlement.results import results_missing
from lototrot.services.races.classification import ClassificationRefused, Entry
from lototrot.services.races.course import PaymentOrdered
from lototrot.services.races.withdrawals import withdrawal_enter, withdrawal_reverse
from lototrot.services.reasons import ReasonMissing
from lototrot.services.settlement import classification_correction as services
from lototrot.services.settlement.classification_correction import (
    ClassificationChanged,
    NotClassified,
    NothingCorrected,
    classification_correct,
)
from tests.support import factories as f
from tests.support import paying
from tests.support.lototrot.classifying import confirm, entries, oversee, propose, run

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.3")]

REVERSAL = "lototrot.withdrawal_reversal"


@pytest.fixture
def race(contest: Contest) -> Race:
    return run(contest)


def correct(race: Race, runners: list[Entry], reason: str = "7 keyed for 1", by=None) -> Proposal:
    return classification_correct(
        by=by or f.staff(Role.STEWARDS), race_id=race.pk, runners=runners, reason=reason
    )


ANNOUNCED = entries(n7=Entry(7, "started", 2), n1=Entry(1, "winner", 1))


def test_a_keying_error_is_corrected_by_two_persons(race: Race) -> None:
    """[B14]: the text, its author and its time stay, and so does the row that was wrong."""
    confirm(propose(race))
    wrong = Classification.objects.get()
    first = f.staff(Role.STEWARDS)
    proposal = correct(race, ANNOUNCED, by=first)
    assert proposal.content["reason"] == "7 keyed for 1"
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=f.another_session(first))
    for role in (Role.STEWARDS, Role.ORGANISER):
        with pytest.raises(PowerMissing):  # [B18]
            two_persons.confirm(proposal=proposal.uuid, by=f.staff(role))
    assert race_record(race.pk).facts().winners == {7}
    oversee(proposal)
    wrong.refresh_from_db()
    right = Classification.objects.get(in_force=True)
    assert (wrong.in_force, right.corrects) == (False, wrong)
    assert (right.announced_text, right.announced_at) == (wrong.announced_text, wrong.announced_at)
    assert race_record(race.pk).facts().winners == {1}


def test_a_correction_must_correct_something_and_say_why(race: Race) -> None:
    with pytest.raises(NotClassified):
        correct(race, ANNOUNCED)
    confirm(propose(race))
    with pytest.raises(ReasonMissing):
        correct(race, ANNOUNCED, reason=" ")
    with pytest.raises(NothingCorrected):
        correct(race, list(reversed(entries())))
    with pytest.raises(ClassificationRefused):
        correct(race, entries(n4=None))
    with pytest.raises(PowerMissing):
        correct(race, ANNOUNCED, by=f.staff(Role.ORGANISER))
    proposal = correct(race, ANNOUNCED)
    with pytest.raises(two_persons.ProposalPending):
        correct(race, ANNOUNCED)
    with pytest.raises(PowerMissing):
        two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.AUDITOR))
    assert Classification.objects.count() == 1


def correction_of(before: Classification, **changes: Any) -> dict[str, Any]:
    """Return the content of the proposal that corrects a classification to what it says."""
    return {
        "race": before.race_id,
        "corrects": before.pk,
        "runners": before.runners,
        "announced_text": before.announced_text,
        "author": before.author,
        "announced_at": before.announced_at.isoformat(),
    } | changes


def test_a_correction_of_what_was_corrected_meanwhile_is_refused(race: Race) -> None:
    confirm(propose(race))
    proposal = correct(race, ANNOUNCED)
    before = Classification.objects.get()
    Classification.objects.filter(pk=before.pk).update(in_force=False)
    Classification.objects.create(
        race=race,
        runners=before.runners,
        announced_text=before.announced_text,
        announced_at=before.announced_at,
        author=before.author,
        proposal=f.proposal(
            "lototrot.classification_correction",
            "other",
            correction_of(before),
            second=Role.INSPECTOR,
        ),
        confirmed_at=clock.now(),
        corrects=before,
    )
    with pytest.raises(ClassificationChanged):
        oversee(proposal)


@pytest.mark.parametrize(("second", "text"), [(Role.STEWARDS, ""), (Role.AUDITOR, "Another text")])
def test_the_database_refuses_a_correction_nobody_oversaw_or_of_another_text(
    race: Race, second: Role, text: str
) -> None:
    """[B18]"""
    confirm(propose(race))
    before = Classification.objects.get()
    with pytest.raises(IntegrityError, match="inspector or the auditor"), transaction.atomic():
        Classification.objects.create(
            race=race,
            runners=before.runners,
            announced_text=text or before.announced_text,
            announced_at=before.announced_at,
            author=before.author,
            proposal=f.proposal(
                "lototrot.classification_correction",
                "x",
                correction_of(before, announced_text=text or before.announced_text),
                second=second,
            ),
            confirmed_at=clock.now(),
            corrects=before,
            in_force=False,
        )


def settled(contest: Contest) -> Settlement:
    f.contest_closed(contest)
    Contest.objects.filter(pk=contest.pk).update(state="settled")
    return Settlement.objects.create(
        uuid=uuid.uuid4(),
        contest=contest,
        number=1,
        rules={},
        races=[],
        tickets=0,
        bets=0,
        winning_tickets=0,
        takings_cents=0,
        jackpot_in_cents=0,
        reserve_in_cents=0,
        lapsed_in_cents=0,
        prizes_cents=0,
        jackpot_out_cents=0,
        reserve_out_cents=0,
        figures={},
        settled_at=clock.now(),
    )


def test_a_settled_contest_is_due_again_after_a_correction(contest: Contest, race: Race) -> None:
    confirm(propose(race))
    settlement = settled(contest)
    proposal = correct(race, ANNOUNCED)
    contest.refresh_from_db()
    assert contest.state == "settled"
    oversee(proposal)
    contest.refresh_from_db()
    settlement.refresh_from_db()
    assert (contest.state, settlement.in_force) == ("closed", False)


def test_every_settled_contest_on_the_race_is_reversed_and_no_other(
    contest: Contest, race: Race, monkeypatch
) -> None:
    confirm(propose(race))
    unsettled = f.contest_closed(f.contest(contest.meeting, kind="five-races"))
    settled(contest)
    settled(f.contest(f.meeting(races=8, day=contest.day), kind="eight-races"))
    called = []
    monkeypatch.setattr(
        services, "settlement_reverse", lambda *, contest_id, by: called.append(contest_id)
    )
    oversee(correct(race, ANNOUNCED))
    assert called == [contest.pk]
    unsettled.refresh_from_db()
    assert unsettled.state == "closed"


@pytest.mark.article("14.III.8.2")
def test_nothing_is_corrected_once_payment_is_ordered(contest: Contest, race: Race) -> None:
    confirm(propose(race))
    settlement = settled(contest)
    proposal = correct(race, ANNOUNCED)
    Contest.objects.filter(pk=contest.pk).update(state="ordered")
    days = paying.terms(contest)
    PaymentOrder.objects.create(
        contest=contest,
        settlement=settlement,
        proposal=f.proposal("lototrot.payment_order", "x", paying.order_of(settlement, days)),
        **days,
    )
    with pytest.raises(PaymentOrdered):
        oversee(proposal)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.INSPECTOR))
    with pytest.raises(PaymentOrdered):
        correct(race, ANNOUNCED)
    assert race_record(race.pk).facts().winners == {7}
    settlement.refresh_from_db()
    assert settlement.in_force
    written = Classification.objects.filter(race=race)
    standing = race.withdrawals.filter(number=3)
    named = {"withdrawal": standing.get().pk, "reason": ""}
    reversal = f.proposal(REVERSAL, "x", named)
    for by_sql in (
        lambda: f.withdrawal(race, 6),
        lambda: standing.update(reversed_at=clock.now(), reversal=reversal),
        lambda: written.update(in_force=False),
    ):
        with pytest.raises(IntegrityError, match="payment is ordered"), transaction.atomic():
            by_sql()


@pytest.mark.article("14.III.8.2")
def test_the_order_of_another_contest_ends_the_corrections_of_a_race_that_they_share(
    contest: Contest, race: Race
) -> None:
    """[B14]: a race has one result, and prizes are paid by it."""
    confirm(propose(race))
    other = f.contest(contest.meeting, kind="five-races")
    standing, ordered = settled(contest), settled(other)
    proposal = correct(race, ANNOUNCED)
    Contest.objects.filter(pk=other.pk).update(state="ordered")
    days = paying.terms(other)
    PaymentOrder.objects.create(
        contest=other,
        settlement=ordered,
        proposal=f.proposal("lototrot.payment_order", "x", paying.order_of(ordered, days)),
        **days,
    )
    with pytest.raises(PaymentOrdered):
        oversee(proposal)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.INSPECTOR))
    standing.refresh_from_db()
    assert standing.in_force and race_record(race.pk).facts().winners == {7}


@pytest.mark.article("14.III.8.2")
def test_the_database_refuses_a_payment_order_nobody_confirmed(contest: Contest) -> None:
    settlement = settled(contest)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        PaymentOrder.objects.create(
            contest=contest,
            settlement=settlement,
            proposal=f.proposal("lototrot.classification", "x"),
            **paying.terms(contest),
        )


@pytest.mark.article("14.III.5.3", "14.III.5.4.1")
def test_a_withdrawal_that_nobody_keyed_is_put_right_until_the_order(
    contest: Contest, race: Race
) -> None:
    """[B6, B14]: the announced text says that 6 was withdrawn. Bets on it count on the winner."""
    confirm(propose(race))
    settlement = settled(contest)
    announced = entries(n6=Entry(6, "withdrawn"))
    with pytest.raises(ClassificationRefused):
        correct(race, announced)
    entered = withdrawal_enter(
        by=f.staff(Role.STEWARDS),
        race_id=race.pk,
        number=6,
        source="Announced text",
        effective_at=race.starts.get().actual_start_at - timedelta(seconds=1),
    )
    with pytest.raises(ClassificationRefused):  # a second person confirms it first
        correct(race, announced)
    two_persons.confirm(proposal=entered.proposal.uuid, by=f.staff(Role.STEWARDS))
    assert next(each.code for each in results_missing(contest)) == "withdrawals_differ"
    settlement.refresh_from_db()
    assert settlement.in_force, "one fact alone changes no result"
    oversee(correct(race, announced))
    settlement.refresh_from_db()
    assert not settlement.in_force
    assert substitute(6, race_record(race.pk).facts()) == (6, 7)
    mistaken = withdrawal_reverse(
        by=f.staff(Role.STEWARDS), withdrawal_id=entered.pk, reason="It was 8"
    )
    two_persons.confirm(proposal=mistaken.uuid, by=f.staff(Role.STEWARDS))
    oversee(correct(race, entries()))
    assert race_record(race.pk).facts().withdrawn == {3}


def test_a_corrected_start_does_not_undo_a_classified_withdrawal(race: Race) -> None:
    """A classified withdrawal stays so, though the start proves to be earlier."""
    confirm(propose(race))
    withdrawal = race.withdrawals.get()
    start = race.starts.get()
    start_again = replace_start(start, withdrawal.effective_at - timedelta(seconds=1))
    assert race_record(race.pk).start == start_again
    assert race_record(race.pk).withdrawn == {3}


def replace_start(start, at):
    return type(start).objects.create(
        race=start.race,
        actual_start_at=at,
        source="Video",
        recorded_at=clock.now(),
        recorded_by_id=start.recorded_by_id,
        recorded_in_id=start.recorded_in_id,
        corrects=start,
        proposal=f.proposal(
            "lototrot.start_correction", "x", f.start_of(start.race, at, "Video", replaces=start.pk)
        ),
    )
