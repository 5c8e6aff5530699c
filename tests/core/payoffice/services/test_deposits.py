"""Documents taken in for examination (14.III.10.5)."""

import pytest

from core.payoffice import refusals
from core.payoffice.models import Deposit
from core.payoffice.services import deposits, paying
from core.premises.requests import new_uuid
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_same_request_is_answered_again_to_who_made_it_alone() -> None:
    """The answer is a receipt: another terminal or person would hold one for a paper not theirs."""
    first, cashier = factories.point(), given.cashier()
    for by, others in (
        (first.actor, (factories.point().actor, factories.point(first.premises).actor, cashier)),
        (cashier, (given.cashier(), first.actor)),
    ):
        request = deposits.DepositRequest(new_uuid(), "unreadable", "x")
        deposit = deposits.deposit_take(at=by, request=request)
        for other in others:
            with pytest.raises(refusals.RequestUuidReused):
                deposits.deposit_take(at=other, request=request)
        assert deposits.deposit_take(at=by, request=request) == deposit
    assert Deposit.objects.count() == 2


def test_what_is_owed_nothing_is_not_taken_in_as_a_claim() -> None:
    lost, won = given.worth(0, 500)
    place = factories.point()
    with pytest.raises(refusals.NoPrize):
        given.deposited(lost.code, place.actor)
    paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(refusals.AlreadyPaid):
        given.deposited(won.code, place.actor)
