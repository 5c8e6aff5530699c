"""The office's papers: what each shows, in three languages."""

import datetime

import pytest
from django.utils.translation import override

from core.database import clock
from core.kernel.languages import LANGUAGES
from core.payoffice.judging import DocumentState
from core.payoffice.models import Cheque, Payment
from core.payoffice.services import checking, cheques, goods, paying, personal_data, slips
from core.payoffice.services.presenting import presentation_make
from core.premises.requests import new_uuid
from core.proofs.head import head_text
from core.receipts import text
from core.receipts.spelling import amount_in_words
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.parametrize("state", DocumentState)
def test_every_state_has_a_word_in_three_languages(state: DocumentState) -> None:
    words = []
    for language in ("ca", "es", "en"):
        with override(language):
            words.append(str(slips.STATES[state]))
    assert all(words)
    assert words[0] != words[2]


@pytest.mark.article("14.III.10.2")
def test_a_status_slip_says_where_until_when_and_how() -> None:
    won, lost = given.worth(50_000, 0)
    slip = text.render(slips.status_slip(checking.holder_check(code=won.code), "en"))
    for expected in ("€500.00", "3 Mar 2030", "1 Apr 2030", "Central", str(won.ticket.uuid)):
        assert expected in slip
    assert "Establishment" not in slip
    assert won.code not in slip
    nothing = text.render(slips.status_slip(checking.holder_check(code=lost.code), "en"))
    assert "No prize" in nothing
    assert "€" not in nothing.partition("Checked")[0].partition("No prize")[2].partition("\n")[0]
    assert "Last day" not in nothing


def test_what_a_bearer_takes_away_has_the_head_of_the_public_log() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    assert head_text()
    papers = [
        slips.status_slip(checking.holder_check(code=won.code), "en"),
        slips.presentation_receipt(presentation_make(at=place.actor, code=won.code), "en"),
        slips.deposit_receipt(given.deposited("", place.actor, "unreadable"), "en"),
    ]
    paying.payment_make(at=place.actor, request=won.request())
    papers.append(slips.payment_receipt(Payment.objects.get(), "en"))
    for paper in papers:
        assert f"Public log {head_text()}" in text.render(paper)


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_the_receipts_of_a_presentation_and_of_its_payment() -> None:
    """[D6]: a presented document has no last day any more."""
    (won,) = given.worth(500)
    place = factories.point()
    presentation = presentation_make(at=place.actor, code=won.code)
    receipt = text.render(slips.presentation_receipt(presentation, "en"))
    for expected in (str(presentation.uuid), str(won.ticket.uuid), place.premises.code, "€5.00"):
        assert expected in receipt
    presented = slips.status_slip(checking.holder_check(code=won.code), "en")
    assert "Last day" not in text.render(presented)
    paying.payment_make(at=place.actor, request=won.request())
    payment = Payment.objects.get()
    receipt = text.render(slips.payment_receipt(payment, "ca"))
    for expected in (str(payment.uuid), str(won.ticket.uuid), place.premises.name, "5,00 €"):
        assert expected in receipt
    assert won.code not in receipt


@pytest.mark.article("14.III.10.5")
def test_the_receipt_of_a_deposit_bears_its_number() -> None:
    deposit = given.deposited("", factories.point().actor, "unreadable")
    receipt = text.render(slips.deposit_receipt(deposit, "en"))
    assert f"[QR {deposit.uuid}]" in "".join(receipt.split("\n")) or str(deposit.uuid) in receipt
    assert "code cannot be read" in receipt
    assert "Two persons" in receipt


@pytest.mark.article("14.III.10.6")
def test_a_cheque_names_its_payee_until_the_name_is_erased() -> None:
    """[C3]"""
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    cheque = Cheque.objects.select_related("payment", "payee").get()
    paper = text.render(slips.cheque_document(cheque, "en"))
    for expected in ("00000001", given.MARIA.name, "€1,000.01", str(cheque.payment.uuid)):
        assert expected in paper
    signed = (
        "Signatura per l'organitzador",
        "Firma por el organizador",
        "Signature for the organiser",
    )
    for language, words in zip(LANGUAGES, signed, strict=True):
        lines = text.render(slips.cheque_document(cheque, language)).splitlines()
        at = [line.strip() for line in lines].index(words)
        assert set(lines[at - 1].strip()) == {"_"}
        assert f"*** {amount_in_words(100_001, language)} ***" in " ".join(" ".join(lines).split())
    assert given.MARIA.document_number not in paper
    assert "VOID" not in paper
    by = factories.staff(Role.SUPERVISOR)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Torn."), Role.ORGANISER)
    cheque.refresh_from_db()
    payment = cheque.payment
    assert "Cheque 00000001" in " ".join(text.render(slips.payment_receipt(payment, "en")).split())
    assert "VOID" in text.render(slips.cheque_document(cheque, "en"))
    kept_until = cheque.payee.kept_until
    factories.time_to(rounds.NOON + (kept_until - rounds.NOON.date()) + datetime.timedelta(days=2))
    personal_data.personal_data_purge(kept_until + datetime.timedelta(days=1))
    with pytest.raises(personal_data.Erased):
        slips.cheque_document(cheques.cheque_get(1), "en")


@pytest.mark.article("15.III.6.5")
def test_the_paper_of_an_exchange_entitles_to_the_thing() -> None:
    voucher, _ = given.bicycles()
    cashier, keeper = given.cashier(), factories.staff(Role.SUPERVISOR)
    place = given.session_of(cashier).premises
    goods.stock_register(by=keeper, code="bicycle", description="A bicycle", unit_cents=400)
    given.stock_moved(keeper, place, 1)
    status = text.render(slips.status_slip(checking.holder_check(code=voucher.code), "en"))
    assert "as the winner chooses" in " ".join(status.split())
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
    exchange = goods.exchange_make(by=cashier, request=request)
    assert isinstance(exchange, goods.Exchange)
    paper = text.render(slips.exchange_document(exchange, "en"))
    for expected in ("A bicycle", "€4.00", str(exchange.uuid), place.code, head_text()):
        assert expected in paper
    assert clock.is_simulated() == ("SIMULATED TIME" in paper)
