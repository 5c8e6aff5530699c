"""The cheques of the prize office in the admin: their register, file and losses."""

import pytest

from core.admin_support.columns import NOTHING, money
from core.payoffice.models import Cheque, ChequeRecovery, ChequeWriteOff, VoidedChequePayment
from core.staff.powers import Role
from tests.support import paying as given
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.payoffice.losing import lost, recovered, taken_back, written_off

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_file_of_a_cheque_is_for_those_who_print_it() -> None:
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    supervisor, reader = Desk(Role.SUPERVISOR), Desk(Role.AUDITOR)
    assert supervisor.client.get("/admin/payoffice/cheque/1.pdf").content.startswith(b"%PDF")
    assert supervisor.client.get("/admin/payoffice/cheque/2.pdf").status_code == 404
    assert reader.client.get("/admin/payoffice/cheque/1.pdf").status_code == 404
    assert NOTHING in reader.get(row_url(Cheque.objects.get()))


def test_the_list_of_losses_counts_no_entry_that_was_taken_back() -> None:
    by = lost()
    cheque, reader = Cheque.objects.get(), Desk(Role.AUDITOR)
    recovered(by, 60_000)
    written_off(by, 40_001)
    assert row_url(cheque) not in reader.get(list_url(Cheque), loss="open")
    taken_back(by, ChequeWriteOff.objects.get().uuid)
    assert row_url(cheque) in reader.get(list_url(Cheque), loss="open")
    assert money(40_001) in reader.get(row_url(cheque))
    taken_back(by, ChequeRecovery.objects.get().uuid)
    assert money(100_001) in reader.get(row_url(cheque))
    assert row_url(cheque) in reader.get(list_url(Cheque), loss="open")
    taken_back(by, VoidedChequePayment.objects.get().uuid)
    for model in (ChequeRecovery, ChequeWriteOff, VoidedChequePayment):
        row = row_url(model._default_manager.get())
        assert row in reader.get(list_url(model), taken_back="yes")
        assert row not in reader.get(list_url(model), taken_back="no")
    assert row_url(cheque) not in reader.get(list_url(Cheque), loss="open")
