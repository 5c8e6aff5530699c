"""The office's postings: a payment inserted by SQL moves what they say; signs reverse lines."""

import pytest

from core.kernel.regulation import Means
from core.ledger.models import Transfer
from core.ledger.services import Line, premises_account
from core.payoffice import accounts, postings
from core.payoffice.models import Payment
from core.payoffice.services import paying
from lototrot import accounts as lototrot
from tests.support import factories
from tests.support import paying as given


def posted(payment: Payment) -> tuple[str, str, str, int]:
    transfer = Transfer.objects.select_related("debit", "credit").get(reference=payment.uuid)
    return (transfer.kind, transfer.debit.code, transfer.credit.code, transfer.amount_cents)


def posting(line: Line) -> tuple[str, str, str, int]:
    return (line.kind, line.debit.code, line.credit.code, line.amount_cents)


@pytest.mark.django_db
def test_a_payment_moves_what_the_posting_says_wherever_it_is_made() -> None:
    small, medium, large = given.worth(500, 29_000, 100_001)
    place, cashier = factories.point(), given.cashier()
    owed, held = lototrot.prizes_payable(small.contest.pk), lototrot.held(small.contest.pk)
    paying.payment_make(at=place.actor, request=small.request())
    given.paid_alone(cashier, medium.request())
    given.paid_by_two(cashier, large.request(payee=given.MARIA))
    sources = (
        premises_account(place.premises.pk),
        accounts.cash(given.session_of(cashier).pk),
        accounts.cheques(),
    )
    for payment, source in zip(Payment.objects.order_by("pk"), sources, strict=True):
        paid_from = postings.payer(
            premises_id=payment.premises_id,
            cash_session_id=payment.cash_session_id,
            means=payment.means,
        )
        assert paid_from == source
        cents, stood = payment.amount_cents, held if payment.proposal_id else owed
        line = postings.payment(refund=False, stood=stood, paid_from=paid_from, cents=cents)
        assert posted(payment) == posting(line)


def test_a_cheque_comes_from_the_register_no_matter_who_hands_it_over() -> None:
    means = Means.NOMINATIVE_CHEQUE
    for session in (None, 7):
        payer = postings.payer(premises_id=1, cash_session_id=session, means=means)
        assert payer == accounts.cheques()


def test_a_negative_amount_turns_the_line_round() -> None:
    brought, taken = postings.cash_moved(3, 40), postings.cash_moved(3, -40)
    assert (brought.debit, brought.credit) == (taken.credit, taken.debit)
    assert brought.amount_cents == taken.amount_cents == 40
    count, missing = postings.cash_counted(3, counted_cents=100, difference_cents=-5)
    assert count.amount_cents == 100
    assert (missing.debit, missing.credit, missing.amount_cents) == (
        accounts.cash_differences(),
        accounts.cash(3),
        5,
    )


def test_what_is_given_back_turns_the_line_of_the_loss_round() -> None:
    loss = postings.voided_cheque_paid(settled=False, cents=40)
    back = postings.loss_recovered(40)
    assert (back.debit, back.credit, back.amount_cents) == (loss.credit, loss.debit, 40)


def test_a_counter_entry_turns_the_line_of_an_entry_round() -> None:
    off = postings.written_off(40)
    assert (off.debit, off.credit) == (accounts.written_off(), accounts.voided_cheques())
    counter = postings.entry_reversed(off)
    assert (counter.kind, counter.amount_cents) == ("payoffice.write_off_reversed", 40)
    assert (counter.debit, counter.credit) == (off.credit, off.debit)
