"""The registers of the prize office in the admin."""

import pytest

from core.payoffice.models import (
    CashCeiling,
    CashSession,
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    Claim,
    Deposit,
    Payee,
    Payment,
    StockItem,
)
from core.payoffice.services import deposits
from core.premises.requests import new_uuid
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.payoffice.losing import lost, recovered, written_off

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_registers_show_what_happened_to_those_who_may_read_them() -> None:
    won, torn = given.worth(100_001, 500)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    request = deposits.DepositRequest(new_uuid(), "damaged", "Torn.", torn.code)
    deposits.deposit_take(at=factories.point().actor, request=request)
    by = lost()
    recovered(by, 1, number=2)
    written_off(by, 1, number=2)
    reader = Desk(Role.AUDITOR)
    pages = ""
    models = (Claim, Payment, Deposit, Cheque, ChequeRecovery, CashSession, Payee, StockItem)
    for model in (*models, ChequeWriteOff, CashCeiling):
        pages += reader.get(list_url(model))
        for row in model.objects.all():
            pages += reader.get(row_url(row))
    assert "1.000,01" in pages or "€1,000.01" in pages
    assert "Ferrer" not in pages
    assert "43123456Z" not in pages
    stranger = Desk(Role.ADMINISTRATOR)
    for row in (Claim.objects.first(), Payment.objects.first(), Payee.objects.first()):
        assert stranger.client.get(row_url(row)).status_code in (302, 403, 404)
