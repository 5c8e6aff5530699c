"""Losses by voided cheques, given back, written off or taken back on the pages of the admin."""

import pytest

from core.admin_support.columns import money
from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import Cheque, ChequeRecovery, ChequeWriteOff
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support.admin_desk import Desk, confirm_all, list_url, row_url
from tests.support.payoffice.losing import lost, recovered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_what_is_given_back_of_a_loss_is_proposed_on_the_page_of_its_cheque() -> None:
    lost()
    first, second = Desk(Role.SUPERVISOR), Desk(Role.ORGANISER)
    cheque, today = Cheque.objects.get(), natural_day(clock.now())
    assert not Desk(Role.CASHIER).offers(cheque, "given-back")
    back = {"credited_on": today.isoformat(), "reference": "TR 7", "returned_by": "insurer"}
    first.refused(cheque, "given-back", "recovery_amount_wrong", amount_cents="1000.02", **back)
    nothing = first.ask(cheque, "given-back", amount_cents="0", **back)
    assert nothing.status_code == 200 and not Proposal.objects.filter(decision=None).exists()
    first.do(cheque, "given-back", amount_cents="999.99", **back)
    first.refused(cheque, "given-back", "proposal_pending", amount_cents="1", **back)
    proposed = Proposal.objects.get(decision=None)
    for words in ("credited on", "given back by", "TR 7"):
        assert words in second.get(row_url(proposed)).lower().replace("tr 7", "TR 7"), words
    confirm_all(second)
    page = first.get(row_url(cheque))
    assert "TR 7" in page and "An insurer" in page and money(2) in page
    assert "TR 7" in first.get(list_url(ChequeRecovery), q="tr 7")
    assert "TR 7" not in first.get(list_url(ChequeRecovery), q="tr 8")
    assert row_url(cheque) in first.get(list_url(Cheque), loss="open")
    first.do(cheque, "given-back", amount_cents="0.02", **back | {"reference": "TR 8"})
    confirm_all(second)
    assert not first.offers(cheque, "given-back")
    assert row_url(cheque) not in first.get(list_url(Cheque), loss="open")


def test_a_loss_is_written_off_and_an_entry_taken_back_on_its_page() -> None:
    recovered(lost(), 60_000, "TR 7")
    first, second = Desk(Role.SUPERVISOR), Desk(Role.ORGANISER)
    cheque, back = Cheque.objects.get(), ChequeRecovery.objects.get()
    assert not Desk(Role.CASHIER).offers(cheque, "write-off")
    why = {"reason": "The case is closed."}
    first.refused(cheque, "write-off", "write_off_amount_wrong", amount_cents="400.02", **why)
    first.do(cheque, "write-off", amount_cents="400.01", **why)
    confirm_all(second)
    off = ChequeWriteOff.objects.get()
    assert "The case is closed." in first.get(row_url(cheque))
    assert "The case is closed." in first.get(list_url(ChequeWriteOff))
    assert not first.offers(cheque, "write-off")
    assert row_url(cheque) not in first.get(list_url(Cheque), loss="open")
    for entry, left in ((back, 60_000), (off, 100_001)):
        assert not Desk(Role.CASHIER).offers(entry, "take-back")
        first.do(entry, "take-back", reason="Entered by mistake.")
        first.refused(entry, "take-back", "proposal_pending", reason="Again.")
        confirm_all(second)
        assert not first.offers(entry, "take-back")
        assert "Entered by mistake." in first.get(row_url(entry))
        assert money(left) in first.get(row_url(cheque))
        assert row_url(cheque) in first.get(list_url(Cheque), loss="open")
    standing = first.get(list_url(ChequeRecovery), taken_back="no")
    assert row_url(back) not in standing
    assert row_url(back) in first.get(list_url(ChequeRecovery), taken_back="yes")
