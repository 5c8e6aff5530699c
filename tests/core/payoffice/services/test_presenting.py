"""Presentations: once, in time, and paid once (14.III.10.2)."""

import pytest

from core.kernel.errors import DomainError
from core.payoffice import refusals
from core.payoffice.models import Presentation
from core.payoffice.services import paying
from core.payoffice.services.presenting import presentation_make
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot import accounts as lototrot
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.2", "14.III.10.4")]


@pytest.fixture(autouse=True)
def noon() -> None:
    factories.time_to(rounds.NOON)


def test_a_presented_document_is_presented_once_and_paid_once() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    first = presentation_make(at=place.actor, code=won.code)
    assert presentation_make(at=factories.point().actor, code=won.code) == first
    assert given.balance(lototrot.held(won.contest.pk)) == 500
    paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(refusals.AlreadyPaid):
        presentation_make(at=place.actor, code=won.code)
    assert Presentation.objects.count() == 1


@pytest.mark.article("14.III.10.3")
def test_an_altered_or_losing_or_paid_document_is_not_presented() -> None:
    altered, lost, paid = given.worth(500, 0, 600)
    place = factories.point()
    paying.payment_make(at=place.actor, request=paid.request())
    cases: list[tuple[str, bool, type[DomainError]]] = [
        (altered.code, False, refusals.DocumentAltered),
        (lost.code, True, refusals.NoPrize),
        (paid.code, True, refusals.AlreadyPaid),
    ]
    for code, intact, error in cases:
        with pytest.raises(error):
            presentation_make(at=place.actor, code=code, intact=intact)
    with pytest.raises(PowerMissing):
        presentation_make(at=factories.staff(Role.AUDITOR), code=altered.code)
    with pytest.raises(refusals.CashSessionMissing):
        presentation_make(at=factories.staff(Role.CASHIER), code=altered.code)
    assert not Presentation.objects.exists()


@pytest.mark.article("14.III.10.5")
def test_a_granted_document_needs_no_presentation() -> None:
    """[C5]: it does not lapse any more."""
    (won,) = given.worth(500)
    place = factories.point()
    deposit = given.deposited(won.code, place.actor)
    factories.time_pass(days=40)
    given.ruled(deposit, "granted")
    with pytest.raises(refusals.PresentationNeedless):
        presentation_make(at=place.actor, code=won.code)
