"""Suspensions of sales."""

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.premises import suspending
from core.premises.access import (
    BareTerminal,
)
from core.premises.models import (
    Premises,
    Suspension,
)
from core.premises.services import (
    PremisesUnknown,
    TerminalNotFound,
)
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from tests.support import factories


def test_a_suspension_is_lifted_once_and_records_by_whom(by: StaffActor, bar: Premises) -> None:
    stop = suspending.sales_suspend(by=by, reason="Line down", premises="P1")
    assert (stop.premises, stop.terminal, stop.suspended_in_id) == (bar, None, by.session_id)
    other = factories.staff(Role.ORGANISER)
    lifted = suspending.sales_resume(by=other, suspension=stop.pk)
    assert lifted.lifted_by_id == other.user_id
    assert lifted.lifted_at is not None
    assert lifted.lifted_at > lifted.since
    for pk in (stop.pk, stop.pk + 1):
        with pytest.raises(suspending.SuspensionUnknown):
            suspending.sales_resume(by=by, suspension=pk)


def test_a_suspension_has_one_scope_that_exists(
    by: StaffActor, terminal: tuple[BareTerminal, str]
) -> None:
    with pytest.raises(suspending.SuspensionScope):
        suspending.sales_suspend(by=by, reason="both", premises="P1", terminal="T1")
    with pytest.raises(PremisesUnknown):
        suspending.sales_suspend(by=by, reason="none", premises="P2")
    with pytest.raises(TerminalNotFound):
        suspending.sales_suspend(by=by, reason="none", terminal="T2")
    assert not Suspension.objects.exists()
    whole = suspending.sales_suspend(by=by, reason="all")
    with pytest.raises(IntegrityError, match="suspension_lifted_whole"), transaction.atomic():
        Suspension.objects.filter(pk=whole.pk).update(lifted_at=clock.now())


def test_suspending_needs_its_power(bar: Premises) -> None:
    auditor = factories.staff(Role.AUDITOR)
    with pytest.raises(PowerMissing):
        suspending.sales_suspend(by=auditor, reason="Storm")
    with pytest.raises(PowerMissing):
        suspending.sales_resume(by=auditor, suspension=1)
    assert not Suspension.objects.exists()
