"""Proposals of the prize office in words: no code, no digest and no name for machines."""

from typing import Any

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.admin_support.columns import money
from core.database import clock
from core.kernel.days import add_days, natural_day
from core.payoffice.models import Cheque, VoidedChequePayment
from core.payoffice.services import cheques, desk, recovering, ruling
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.losing import lost

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def _texts_of(proposal: Any, language: str = "en") -> tuple[str, str]:
    """Return a proposal as a line, and all that the second person reads of it."""
    assert isinstance(proposal, Proposal)
    with override(language):
        return proposal_texts.title_text(proposal), proposal_texts.content_html(proposal)


def test_a_large_payment_says_what_is_paid_and_how() -> None:
    (won,) = given.worth(100_001)
    proposal = desk.desk_pay(by=given.cashier(), request=won.request(payee=given.MARIA))
    text, content = _texts_of(proposal, "ca")
    with override("ca"):
        amount = money(100_001)
    assert text.endswith(f"{amount} · Xec nominatiu · Lototrot")
    assert str(won.ticket.uuid) in content and "nominative_cheque" not in content
    assert isinstance(proposal, Proposal)
    assert proposal.content["digest"] not in content


def test_a_cheque_is_called_by_the_number_on_its_paper_and_its_amount() -> None:
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    supervisor = factories.staff(Role.SUPERVISOR)
    number = Cheque.objects.get().number
    void = cheques.cheque_void(by=supervisor, number=number, reason="Torn")
    text, content = _texts_of(void)
    assert text.endswith(f"{number:08d} · €1,000.01") and "Torn" in content


def test_what_became_of_a_voided_cheque_is_said_in_words() -> None:
    by = lost()
    (paid,) = VoidedChequePayment.objects.all()
    number, today = paid.cheque.number, natural_day(clock.now())
    recorded = Proposal.objects.get(kind="payoffice.cheque_paid_voided")
    assert "Another has it: the organiser bears it" in _texts_of(recorded)[1]
    back = recovering.loss_recover(
        by=by,
        number=number,
        amount_cents=60_000,
        credited_on=today,
        reference="TR 7",
        returned_by="insurer",
    )
    text, content = _texts_of(back)
    assert text.endswith(f"{number:08d} · €600.00")
    assert "An insurer" in content and "TR 7" in content and today.isoformat() not in content
    off = recovering.loss_write_off(by=by, number=number, amount_cents=1, reason="Closed.")
    assert "Closed." in _texts_of(off)[1]
    taken = recovering.loss_entry_reverse(by=by, entry=paid.uuid, reason="A mistake.")
    assert "payment of a voided cheque" in _texts_of(taken)[1]


def test_a_ceiling_says_its_amount_and_its_first_day() -> None:
    day = add_days(natural_day(clock.now()), 30)
    proposal = cheques.ceiling_propose(
        by=factories.staff(Role.ORGANISER), in_force_from=day, cents=80_000, source="Law 1"
    )
    text, content = _texts_of(proposal, "es")
    assert f"desde el {day:%d/%m/%Y}" in text and "800,00" in text
    assert "Law 1" in content


def test_a_ruling_says_the_verdict_and_on_what() -> None:
    (won,) = given.settled(1)
    supervisor = factories.staff(Role.SUPERVISOR)
    unmatched = given.deposited("", factories.point().actor, "unreadable")
    matched = given.deposited(won.code, factories.point().actor)
    factories.time_pass(days=40)
    refused = ruling.ruling_propose(
        by=supervisor, verdict="refused", reason="Nobody came.", deposit=unmatched.uuid
    )
    text, content = _texts_of(refused)
    assert "Refused" in text and "Its code cannot be read" in text
    assert str(unmatched.uuid) not in text and "Nobody came." in content
    granted = ruling.ruling_propose(
        by=supervisor, verdict="granted", reason="It agrees.", deposit=matched.uuid
    )
    text, content = _texts_of(granted)
    with override("en"):
        assert text.endswith(f"Granted · {money(won.cents)} · Lototrot")
    assert "It agrees." in content and str(won.ticket.uuid) in content
