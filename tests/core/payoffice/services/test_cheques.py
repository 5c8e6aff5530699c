"""The register of cheques: voiding, reissue, reconciliation (14.III.10.6)."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings

from core.database import clock
from core.database.kept import forget_all
from core.journal.rules import broken
from core.kernel.days import natural_day
from core.kernel.regulation import Means
from core.ledger.models import Transfer
from core.payoffice import accounts, journal_rules, refusals
from core.payoffice.models import Cheque
from core.payoffice.services import (
    cheques,
    desk,
    finding,
    personal_data,
)
from core.payoffice.services.personal_data import payee_decrypt
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.6")
def test_a_cheque_voided_reissued_and_reconciled() -> None:
    """[C3]: numbers without gaps, two persons for what is not routine."""
    (won,) = given.settled(1, losers=2)
    who, by = given.cashier(), factories.staff(Role.SUPERVISOR)
    paid = given.paid_by_two(who, won.request(payee=given.MARIA))
    with pytest.raises(cheques.ChequeStands):
        cheques.cheque_reissue(by=by, number=1)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Wrong name."), Role.ORGANISER)
    with pytest.raises(cheques.ChequeNotIssued):
        cheques.cheque_void(by=by, number=1, reason="Again.")
    right = personal_data.PayeeFacts("Maria Ferrer Rierol", "dni", "43123456Z")
    given.confirmed(cheques.cheque_reissue(by=by, number=1, payee=right), Role.ORGANISER)
    second = Cheque.objects.get(number=2)
    assert (second.replaces.number, personal_data.payee_decrypt(second.payee)) == (1, right)
    with pytest.raises(cheques.ChequeStands):
        cheques.cheque_reissue(by=by, number=1)
    today = natural_day(clock.now())
    for amount, day, error in (
        (won.cents + 1, today, cheques.ChequeAmountDiffers),
        (won.cents, today + timedelta(days=1), cheques.ChequeDayWrong),
        (won.cents, today - timedelta(days=1), cheques.ChequeDayWrong),
    ):
        with pytest.raises(error):
            cheques.cheque_reconcile(by=by, number=2, amount_cents=amount, presented_on=day)
    with pytest.raises(cheques.ChequeNotIssued):
        cheques.cheque_reconcile(by=by, number=1, amount_cents=won.cents, presented_on=today)
    for _ in range(2):
        cheques.cheque_reconcile(by=by, number=2, amount_cents=won.cents, presented_on=today)
    with pytest.raises(cheques.ChequeAmountDiffers):  # also once it is presented
        cheques.cheque_reconcile(by=by, number=2, amount_cents=won.cents + 1, presented_on=today)
    assert given.balance(accounts.cheques()) == 0
    assert desk.desk_pay(by=who, request=won.request(uuid=paid.uuid, payee=given.MARIA)).cheque == 1
    rounds.books_agree()


def agree() -> None:
    rounds.books_agree()
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert [breach for rule in rules for breach in broken(rule)] == []


def voided() -> tuple[int, StaffActor]:
    """Return the amount of the voided cheque 1, and who records what the bank says."""
    (won,) = given.settled(1, losers=2)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    by = factories.staff(Role.SUPERVISOR)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Lost."), Role.ORGANISER)
    return won.cents, by


def bank_paid(by: StaffActor, cents: int, outcome: str, days: int = 0) -> Proposal:
    day = natural_day(clock.now()) + timedelta(days=days)
    return cheques.voided_cheque_paid(
        by=by, number=1, amount_cents=cents, presented_on=day, outcome=outcome, reason="Statement."
    )


def test_a_voided_cheque_that_another_cashed_is_the_organisers_loss() -> None:
    """The payee gets another cheque all the same; the books are what the bank says."""
    cents, by = voided()
    bank = given.balance(accounts.treasury())
    today = natural_day(clock.now())
    with pytest.raises(cheques.ChequeAmountDiffers):
        bank_paid(by, cents + 1, "loss")
    for days in (-1, 1):
        with pytest.raises(cheques.ChequeDayWrong):
            bank_paid(by, cents, "loss", days)
    proposal = bank_paid(by, cents, "loss")
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    given.confirmed(proposal, Role.ORGANISER)
    assert given.balance(accounts.treasury()) == bank - cents
    assert given.balance(accounts.voided_cheques()) == given.balance(accounts.cheques()) == cents
    cheques.cheque_reconcile(by=by, number=1, amount_cents=cents, presented_on=today)
    with pytest.raises(cheques.ChequeNotVoided):
        bank_paid(by, cents, "loss")
    given.confirmed(cheques.cheque_reissue(by=by, number=1), Role.ORGANISER)
    with pytest.raises(cheques.ChequeNotVoided):
        cheques.voided_cheque_paid(
            by=by, number=2, amount_cents=cents, presented_on=today, outcome="loss", reason="x"
        )
    cheques.cheque_reconcile(by=by, number=2, amount_cents=cents, presented_on=today)
    assert given.balance(accounts.treasury()) == bank - 2 * cents
    assert given.balance(accounts.cheques()) == 0
    agree()


def test_a_voided_cheque_that_its_payee_cashed_settles_the_payment() -> None:
    """No other cheque of the payment may stand, and none is drawn any more [14.III.10.4]."""
    cents, by = voided()
    bank = given.balance(accounts.treasury())
    given.confirmed(cheques.cheque_reissue(by=by, number=1), Role.ORGANISER)
    with pytest.raises(cheques.ChequeReplaced):
        bank_paid(by, cents, "settled")
    given.confirmed(cheques.cheque_void(by=by, number=2, reason="Cashed."), Role.ORGANISER)
    given.confirmed(bank_paid(by, cents, "settled"), Role.ORGANISER)
    assert given.balance(accounts.treasury()) == bank - cents
    assert given.balance(accounts.cheques()) == given.balance(accounts.voided_cheques()) == 0
    with pytest.raises(cheques.ChequeSettled):
        cheques.cheque_reissue(by=by, number=2)
    agree()


@override_settings(PAYEE_KEPT_DAYS=1)
def test_a_cheque_is_not_reissued_to_a_payee_whose_data_were_erased() -> None:
    """It could not be printed. The payee is named again, also where a proposal was too slow."""
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    by = factories.staff(Role.SUPERVISOR)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Out of date."), Role.ORGANISER)
    factories.time_pass(days=1)
    slow = cheques.cheque_reissue(by=factories.staff(Role.SUPERVISOR), number=1)
    factories.time_pass(hours=23)
    assert personal_data.personal_data_purge(natural_day(clock.now()))["payees"] == 1
    with pytest.raises(cheques.PayeeErased):
        given.confirmed(slow, Role.ORGANISER)
    by = factories.staff(Role.SUPERVISOR)
    two_persons.reject(proposal=slow.uuid, by=by, reason="Erased.")
    with pytest.raises(cheques.PayeeErased):
        cheques.cheque_reissue(by=by, number=1)
    again = cheques.cheque_reissue(by=by, number=1, payee=given.MARIA)
    given.confirmed(again, Role.ORGANISER)
    assert payee_decrypt(Cheque.objects.get(number=2).payee) == given.MARIA


@pytest.fixture
def figures_read_anew() -> Iterator[None]:
    """Forget the payment figures kept for half a minute, before the test and after it."""
    forget_all()
    yield
    forget_all()


@pytest.mark.usefixtures("figures_read_anew")
@pytest.mark.article("14.III.10.6")
def test_a_later_cash_ceiling_is_in_force_from_its_day() -> None:
    """[C3]"""
    by, today = factories.staff(Role.ORGANISER), natural_day(clock.now())
    with pytest.raises(cheques.CeilingNotLater):
        cheques.ceiling_propose(by=by, in_force_from=today, cents=50_000, source="Law")
    day = today + timedelta(days=2)
    given.confirmed(
        cheques.ceiling_propose(by=by, in_force_from=day, cents=50_000, source="Law"),
        Role.ORGANISER,
    )
    before, after = (finding.payment_figures(each) for each in (day - timedelta(days=1), day))
    assert (before.cash_up_to_cents, after.cash_up_to_cents) == (100_000, 50_000)
    (won,) = given.worth(50_001)
    who = given.cashier()
    assert finding.current_claim(finding.by_code(won.code)).today == day - timedelta(days=1)
    factories.time_pass(days=1)
    with pytest.raises(refusals.PayeeMissing):
        desk.desk_pay(by=who, request=won.request())
    answer = given.paid_by_two(who, won.request(payee=given.MARIA))
    assert answer.means == Means.NOMINATIVE_CHEQUE


@pytest.mark.article("14.III.10.6")
def test_a_cheque_is_numbered_and_names_its_payee_encrypted_only() -> None:
    """[C3]"""
    first, second, cash = given.worth(100_001, 250_000, 99_999)
    cashier = given.cashier()
    for request in (first.request(), second.request()):
        with pytest.raises(refusals.PayeeMissing):
            desk.desk_pay(by=cashier, request=request)
    with pytest.raises(refusals.PayeeNotNeeded):
        desk.desk_pay(by=cashier, request=cash.request(payee=given.MARIA))
    assert given.nothing_written() or Transfer.objects.filter(kind="payoffice.float").count() == 1
    answers = [
        given.paid_by_two(cashier, each.request(payee=given.MARIA)) for each in (first, second)
    ]
    assert [answer.cheque for answer in answers] == [1, 2]
    cheque = Cheque.objects.get(number=2)
    assert (cheque.amount_cents, cheque.state) == (250_000, "issued")
    assert payee_decrypt(cheque.payee) == given.MARIA
    assert b"Ferrer" not in bytes(cheque.payee.encrypted)
    assert given.balance(accounts.cheques()) == 350_001
