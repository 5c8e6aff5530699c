"""The database on what two persons decide while a correction waits."""

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.staff import two_persons
from lototrot.engine.races import Race
from lototrot.models.running import RaceDeclaration, Withdrawal
from lototrot.services.races.declarations import declaration_retract
from lototrot.services.races.starts import start_report
from lototrot.services.races.withdrawals import REVERSAL
from lototrot.services.settlement import breach, payment_order
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot.breaching import confirmed, organiser, sell, started_at

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4")]


def test_the_database_too_refuses_bets_voided_while_a_correction_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[C6, C9]: where a program does not ask; a correction that has lapsed holds nothing."""
    monkeypatch.setattr(breach, "need_no_correction", lambda contest: None)
    contest = f.contest()
    late = sell(contest, f.point())
    started_at(contest, late.sold_at)
    race, (one, two) = f.races_of(contest)[0], f.two_stewards()
    later = clock.now()
    correction = start_correct(by=one, race_id=race.pk, actual_start_at=later, source="Video")
    proposed = breach_void(by=organiser(), contest_id=contest.pk)
    with pytest.raises(IntegrityError, match="correction of a start"), transaction.atomic():
        confirmed(proposed)
        _at_the_end()
    f.declared(race, RaceDeclaration.Kind.SUSPENDED)
    two_persons.reject(proposal=correction.uuid, by=two)
    retraction = declaration_retract(by=one, race_id=race.pk, reason="Another race")
    with pytest.raises(IntegrityError, match="correction of a start"), transaction.atomic():
        confirmed(proposed)
        _at_the_end()
    with transaction.atomic():
        two_persons.reject(proposal=retraction.uuid, by=two)
        confirmed(proposed)
        _at_the_end()
        transaction.set_rollback(True)
    f.time_pass(hours=25)  # the retraction has lapsed
    confirmed(breach_void(by=organiser(), contest_id=contest.pk))
    _at_the_end()


def test_the_database_too_refuses_them_while_a_declared_race_may_have_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[B13, C6]"""
    monkeypatch.setattr(breach, "need_no_correction", lambda contest: None)
    contest, point = f.contest(), f.point()
    race, (one, two) = f.races_of(contest)[0], f.two_stewards()
    f.declared(race)
    sell(contest, point)
    f.contest_closed(contest, cause="not_run")
    proposed = breach_void(by=organiser(), contest_id=contest.pk)
    started = start_report(by=one, race_id=race.pk, source="Judge")
    with pytest.raises(IntegrityError, match="correction of a start"), transaction.atomic():
        confirmed(proposed)
        _at_the_end()
    two_persons.reject(proposal=started.uuid, by=two)
    confirmed(proposed)
    _at_the_end()


@pytest.mark.article("14.III.5.4.1", "14.III.8.2")
def test_the_database_too_refuses_an_order_while_a_withdrawal_may_be_reversed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[B14]"""
    monkeypatch.setattr(payment_order, "need_no_correction", lambda contest, *, of_results: None)
    f.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.run(contest, [Race((1, 2, 3), frozenset({3}), winners=frozenset({1}))] * 2)
    contest_settle(contest_id=contest.pk)
    first, second = f.two_organisers()
    ordering = payment_order_propose(by=first, contest_id=contest.pk)
    withdrawal = Withdrawal.objects.get(race=f.races_of(contest)[0])
    one, two = f.two_stewards()
    reversal = two_persons.propose(
        kind=REVERSAL,
        subject=f"withdrawal:{withdrawal.pk}",
        by=one,
        content={"withdrawal": withdrawal.pk, "reason": "Another horse"},
    )
    with pytest.raises(IntegrityError, match="or a result waits"), transaction.atomic():
        two_persons.confirm(proposal=ordering.uuid, by=second)
        _at_the_end()
    two_persons.reject(proposal=reversal.uuid, by=two)
    two_persons.confirm(proposal=ordering.uuid, by=second)
    _at_the_end()


def _at_the_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
