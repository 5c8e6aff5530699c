"""Show vouchers in the admin, and hand those that are held over there [P11, P16]."""

from datetime import timedelta

import pytest

from core.database import clock
from core.staff.models import Proposal, User
from core.staff.powers import Role
from promotrot.engine.rules import paper_until
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher, VoucherPrint
from tests.support import emitting, factories, paying
from tests.support.admin_desk import Desk, confirm_pending, list_url, row_url

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.fixture(autouse=True)
def simulated(settings: object) -> None:
    settings.SIMULATED_TIME = True  # type: ignore[attr-defined]


def unprinted() -> Voucher:
    """Return a voucher whose printing is not confirmed."""
    emission, place = emitting.opened(emitting.small()), factories.point()
    while not Voucher.objects.exists():
        emitting.played(place, emitting.sold(emission, 1, place))
    return Voucher.objects.get()


def test_a_cashier_hands_over_what_is_held_and_prints_it() -> None:
    voucher = unprinted()
    cashier = User.objects.get(pk=paying.cashier().user_id)
    desk = Desk(person=cashier)
    assert "Hand over" not in desk.get(row_url(voucher))
    factories.time_to(paper_until(voucher.issue_day) + timedelta(minutes=1))
    desk = Desk(person=cashier)
    assert row_url(voucher) in desk.get("/admin/")
    desk.do(voucher, "hand-over", claim="receipt of the play")
    confirm_pending("promotrot.handover", Role.SUPERVISOR)
    page = desk.get(row_url(voucher))
    assert "receipt of the play" in page and f"{voucher.uuid}.pdf" in page
    pdf = desk.client.get(f"/admin/promotrot/voucher/{voucher.uuid}.pdf")
    assert pdf.content.startswith(b"%PDF") and "no-store" in pdf["Cache-Control"]
    stranger = Desk(person=User.objects.get(pk=paying.cashier().user_id))
    assert stranger.client.get(f"/admin/promotrot/voucher/{voucher.uuid}.pdf").status_code == 404
    desk.do(voucher, "printed")
    assert VoucherPrint.objects.filter(voucher=voucher).exists()
    assert desk.client.get(f"/admin/promotrot/voucher/{voucher.uuid}.pdf").status_code == 404


def test_the_second_person_reads_whether_there_was_the_code_of_a_receipt() -> None:
    voucher = unprinted()
    cashier = User.objects.get(pk=paying.cashier().user_id)
    factories.time_to(paper_until(voucher.issue_day) + timedelta(minutes=1))
    Desk(person=cashier).do(voucher, "hand-over", claim="Bar Central")
    proposal = Proposal.objects.get(kind="promotrot.handover")
    for language, words in (("ca", "Codi del rebut de la jugada"), ("en", "play&#x27;s receipt")):
        assert words in Desk(Role.SUPERVISOR, language=language).get(row_url(proposal))


def test_who_does_not_hand_over_sees_vouchers_only() -> None:
    voucher = unprinted()
    factories.time_to(clock.now() + timedelta(days=2))
    desk = Desk(Role.AUDITOR)
    assert str(voucher.uuid) in desk.get(list_url(Voucher))
    assert "Hand over" not in desk.get(row_url(voucher))
    assert "held for their bearers" not in desk.get("/admin/")
    assert row_url(PlayTicket.objects.get(pk=voucher.ticket_id)) in desk.get(row_url(voucher))
