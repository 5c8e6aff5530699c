"""A person sees their own work; what a dead worker left is found, and nothing that is done."""

from datetime import timedelta

import pytest
from django.db import connection

from core.database import clock
from core.database.locks import Lock, session_hold
from core.longwork import selectors
from core.longwork.models import LongWork
from core.longwork.services import CUT_OFF, work_ask, work_cut_off, work_do, work_sent
from core.longwork.tasks import hand_on
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories

pytestmark = pytest.mark.django_db


def _running(by: Role = Role.ORGANISER) -> LongWork:
    work = work_ask(kind=OWN, by=factories.staff(by))
    LongWork.objects.filter(pk=work.pk).update(state="running", started_at=clock.now())
    return work


def test_a_person_sees_their_own_work_and_an_auditor_all(bench: Bench) -> None:
    by = factories.staff(Role.ORGANISER)
    mine, other = work_ask(kind=OWN, by=by), work_ask(kind=OWN, by=factories.staff(Role.SUPERVISOR))
    assert list(selectors.work_of(by)) == [mine]
    assert set(selectors.work_of(factories.staff(Role.AUDITOR))) == {mine, other}
    with pytest.raises(PowerMissing):
        selectors.work_of(factories.staff(Role.CASHIER))


def test_work_that_began_by_a_clock_a_day_ahead_ends_and_can_be_asked_again(bench: Bench) -> None:
    """Until that time came it would be called running, and nobody could ask for it again."""
    tomorrow = clock.now() + timedelta(days=1)
    dead = _running()
    LongWork.objects.filter(pk=dead.pk).update(started_at=tomorrow)
    assert work_cut_off(dead.pk)
    dead.refresh_from_db()
    assert (dead.state, dead.ended_at) == ("cut_off", tomorrow)


def test_work_that_was_sent_by_a_clock_a_day_ahead_is_sent_again(bench: Bench) -> None:
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    LongWork.objects.filter(pk=work.pk).update(sent_at=clock.now() + timedelta(days=1))
    assert selectors.waiting() == [work.pk]
    assert (work_sent(work.pk), work_sent(work.pk)) == (True, False)


def test_work_whose_worker_died_is_cut_off_and_can_be_asked_again(bench: Bench) -> None:
    dead, alive = _running(), _running()
    with session_hold(Lock.LONG_WORK, alive.pk) as held:
        assert held
        assert selectors.cut_off() == [dead.pk]
        assert hand_on(dead.pk) is False
        assert not work_cut_off(alive.pk)
    dead.refresh_from_db()
    assert (dead.state, dead.fault) == ("cut_off", CUT_OFF)
    assert dead.ended_at is not None
    assert not work_do(dead.pk)
    assert bench.done_for == []
    again = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    assert again != dead


def test_the_lock_of_another_database_is_not_taken_for_its_worker(bench: Bench) -> None:
    work = _running()
    with connection.cursor() as cursor:  # another name space, and the same number
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [int(Lock.PERIOD), work.pk])
    assert selectors.cut_off() == [work.pk]


def test_what_waits_is_sent_once_a_minute(bench: Bench) -> None:
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    assert list(selectors.to_hand_on()) == [work.pk]
    assert (work_sent(work.pk), work_sent(work.pk)) == (True, False)
    assert selectors.waiting() == []
    factories.time_pass(seconds=61)
    assert selectors.waiting() == [work.pk]
    work_do(work.pk)
    assert list(selectors.to_hand_on()) == []
    assert not work_sent(work.pk)
