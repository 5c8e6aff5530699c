"""The form that counts a cash session, and what the second person sees of a difference."""

import re

import pytest

from core.payoffice.models import CashSession
from core.payoffice.services.cash import cash_open
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from tests.support import paying
from tests.support.admin_desk import Desk, act_url, row_url

pytestmark = pytest.mark.django_db


def opened() -> tuple[Desk, CashSession]:
    """Return a cashier with a session of 500.00."""
    desk = Desk(Role.CASHIER)
    by = actor_of(session_start(user=desk.person, verified=True)[0])
    return desk, cash_open(by=by, premises=paying.office().code, float_cents=500_00)


def test_the_sum_comes_from_the_server_while_it_is_counted() -> None:
    desk, session = opened()
    page = act_url(session, "close")
    answer = desk.client.post(page, {"live": "1", "pieces_5000": "9", "pieces_2": "3"})
    part = answer.content.decode()
    assert "€450.06" in part and "€500.00" in part and "-€49.94" in part
    whole = desk.client.post(page, {"live": "1", "pieces_50000": "1"}).content.decode()
    assert "It agrees with the books." in whole and 'data-absent="reason words"' in whole
    for absurd in ("-1", "10001", "x"):
        wrong = desk.client.post(page, {"live": "1", "pieces_50000": absurd}).content.decode()
        assert 'data-fault="pieces_50000"' in wrong
        desk.client.post(page, {"do": "1", "pieces_50000": absurd})
    session.refresh_from_db()
    assert session.closed_at is None
    assert not Proposal.objects.filter(kind="payoffice.cash_closing").exists()


def test_the_second_person_sees_books_count_difference_and_reason() -> None:
    desk, session = opened()
    counted = {"pieces_20000": "2", "pieces_5000": "1", "pieces_1": "7"}
    desk.do(session, "close", **counted, reason="prize", words="Paid the wrong ticket.")
    supervisor = Desk(Role.SUPERVISOR)
    proposal = Proposal.objects.get(kind="payoffice.cash_closing")
    page = supervisor.client.get(row_url(proposal)).content.decode()
    for text in ("€500.00", "€450.07", "-€49.93", "Paid the wrong ticket.", "€200.00", "€0.07"):
        assert text in page, text
    assert "A prize was paid too high or too low" in page and "difference_words" not in page
    assert "You have counted this cash, and received it from the drawer." in page
    assert "Received by nobody yet" in desk.client.get("/admin/office/").content.decode()
    paying.confirmed(proposal)
    page = supervisor.client.get(row_url(session)).content.decode()
    assert f"/api/v1/office/cash-sessions/{session.uuid}/closing.pdf?lang=ca" in page
    assert "Paid the wrong ticket." in page
    office = desk.client.get("/admin/office/").content.decode()
    (slip,) = re.findall(r'href="(/admin/office/closing/[^"]+)"', office)
    assert desk.client.get(slip).content.startswith(b"%PDF")


def test_who_receives_cash_reads_from_whose_drawer_how_much_and_why() -> None:
    desk, session = opened()
    desk.do(session, "move", cents="-120.50", reason="To the safe.")
    page = desk.client.get("/admin/office/").content.decode()
    assert "Received by nobody yet" in page and "€500.00" in page
    supervisor = Desk(Role.SUPERVISOR)
    proposal = Proposal.objects.get(kind="payoffice.cash_taking")
    page = supervisor.client.get(row_url(proposal)).content.decode()
    for text in ("€120.50", "To the safe.", "received it from the drawer", desk.person.username):
        assert text in page, text
    paying.confirmed(proposal)
    page = desk.client.get("/admin/office/").content.decode()
    assert "Received by nobody yet" not in page and "€379.50" in page
