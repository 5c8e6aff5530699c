"""Losses by voided cheques that are written off, and entries about them that are taken back."""

import uuid

import pytest

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import natural_day
from core.ledger.models import Transfer
from core.payoffice import accounts, journal_rules
from core.payoffice.models import Cheque, ChequeRecovery, ChequeWriteOff, VoidedChequePayment
from core.payoffice.services import cheques, recovering
from core.payoffice.services.cheques import ChequeUnknown, ReasonNeeded
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.payoffice.losing import (
    LOST_CENTS,
    lost,
    recovered,
    recovery,
    taken_back,
    written_off,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def rest() -> int:
    """Return what is still lost, on the account as by the rows; no rule is broken."""
    cents: int = sum(each.still_lost_cents for each in Cheque.objects.all())
    assert given.balance(accounts.voided_cheques()) == cents
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert [breach for rule in rules for breach in broken(rule)] == []
    return cents


def test_what_nobody_gives_back_is_written_off_as_the_organisers_cost() -> None:
    (won,) = given.settled(1, losers=2)
    by = lost(won)
    recovered(by, 60_000)
    bank = given.balance(accounts.treasury())
    left = won.cents - 60_000
    proposal = recovering.loss_write_off(by=by, number=1, amount_cents=left - 1, reason="Closed.")
    assert rest() == left
    with pytest.raises(PowerMissing):  # The organiser bears it, so an organiser confirms.
        given.confirmed(proposal, Role.SUPERVISOR)
    given.confirmed(proposal, Role.ORGANISER)
    row = ChequeWriteOff.objects.get()
    assert (row.cheque.number, row.amount_cents, row.reason) == (1, left - 1, "Closed.")
    transfer = Transfer.objects.get(reference=row.uuid)
    assert (transfer.kind, transfer.debit.code, transfer.credit.code) == (
        "payoffice.write_off",
        "payoffice:written_off",
        "payoffice:voided_cheques",
    )
    assert rest() == 1
    written_off(by, 1)
    assert rest() == 0
    assert given.balance(accounts.written_off()) == left
    assert given.balance(accounts.treasury()) == bank
    rounds.books_agree()


def test_what_cannot_be_written_off_is_refused() -> None:
    by = lost()
    recovered(by, 60_000)
    ask = {"by": by, "number": 1, "amount_cents": 1, "reason": "Closed."}
    for cents in (LOST_CENTS - 59_999, 0, -1, 10**15):
        with pytest.raises(recovering.WriteOffAmountWrong):
            recovering.loss_write_off(**ask | {"amount_cents": cents})
    for reason in ("", " \u00a0 "):
        with pytest.raises(ReasonNeeded):
            recovering.loss_write_off(**ask | {"reason": reason})
    with pytest.raises(ChequeUnknown):
        recovering.loss_write_off(**ask | {"number": 2})
    with pytest.raises(PowerMissing):
        recovering.loss_write_off(**ask | {"by": factories.staff(Role.CASHIER)})
    lost(outcome="settled")
    with pytest.raises(recovering.ChequeNotLost):
        recovering.loss_write_off(**ask | {"number": 2})
    assert not Proposal.objects.filter(kind=recovering.WRITE_OFF.name).exists()


def test_of_a_write_off_and_a_recovery_that_wait_together_the_second_is_refused() -> None:
    by = lost()
    off = recovering.loss_write_off(by=by, number=1, amount_cents=LOST_CENTS, reason="Closed.")
    back = recovery(by, 60_000)
    given.confirmed(back, Role.ORGANISER)
    with pytest.raises(recovering.WriteOffAmountWrong):
        given.confirmed(off, Role.ORGANISER)
    assert rest() == LOST_CENTS - 60_000


def test_a_recovery_by_mistake_is_taken_back_and_its_credit_recorded_as_it_was() -> None:
    (won,) = given.settled(1, losers=2)
    by = lost(won)
    bank = given.balance(accounts.treasury())
    recovered(by, 60_000, "TR 1")
    row = ChequeRecovery.objects.get()
    proposal = recovering.loss_entry_reverse(by=by, entry=row.uuid, reason="It was 6 euros.")
    with pytest.raises(two_persons.ProposalPending):
        recovering.loss_entry_reverse(by=by, entry=row.uuid, reason="Again.")
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    assert rest() == won.cents - 60_000
    given.confirmed(proposal, Role.ORGANISER)
    row.refresh_from_db()
    assert (row.amount_cents, row.reversal, row.reversed_reason) == (
        60_000,
        proposal,
        "It was 6 euros.",
    )
    entry, counter = Transfer.objects.filter(kind__startswith="payoffice.recovery").order_by("pk")
    assert (counter.kind, counter.amount_cents) == ("payoffice.recovery_reversed", 60_000)
    assert (counter.debit, counter.credit) == (entry.credit, entry.debit)
    assert (rest(), given.balance(accounts.treasury())) == (won.cents, bank)
    with pytest.raises(recovering.LossEntryReversed):
        recovering.loss_entry_reverse(by=by, entry=row.uuid, reason="Again.")
    recovered(by, 600, "TR 1")
    assert rest() == won.cents - 600
    with pytest.raises(recovering.RecoveryRecorded):
        recovery(by, 600, "TR 1")
    rounds.books_agree()


def test_what_is_given_back_after_a_write_off_is_recorded_once_that_is_taken_back() -> None:
    by = lost()
    written_off(by, LOST_CENTS)
    with pytest.raises(recovering.RecoveryAmountWrong):
        recovery(by, 1)
    taken_back(by, ChequeWriteOff.objects.get().uuid, "The insurer pays after all.")
    assert (rest(), given.balance(accounts.written_off())) == (LOST_CENTS, 0)
    recovered(by, LOST_CENTS)
    assert rest() == 0


@pytest.mark.article("14.III.10.4")
@pytest.mark.parametrize("outcome", ["loss", "settled"])
def test_the_record_that_the_bank_paid_a_voided_cheque_is_taken_back(outcome: str) -> None:
    """[C3]: the bank had paid another cheque. The payee is owed as before, and gets one."""
    (won,) = given.settled(1, losers=2)
    by = lost(won, outcome=outcome)
    paid = VoidedChequePayment.objects.get()
    assert rest() == (won.cents if outcome == "loss" else 0)
    bank = given.balance(accounts.treasury())
    taken_back(by, paid.uuid, "It was cheque 11.")
    assert (rest(), given.balance(accounts.cheques())) == (0, won.cents)
    assert given.balance(accounts.treasury()) == bank + won.cents
    with pytest.raises(recovering.LossEntryReversed):
        recovering.loss_entry_reverse(by=by, entry=paid.uuid, reason="Again.")
    with pytest.raises(recovering.ChequeNotLost):
        recovery(by, 1)
    given.confirmed(cheques.cheque_reissue(by=by, number=1), Role.ORGANISER)
    today = natural_day(clock.now())
    facts = {"amount_cents": won.cents, "presented_on": today}
    cheques.cheque_reconcile(by=by, number=2, **facts)
    assert (rest(), given.balance(accounts.cheques())) == (0, 0)
    assert given.balance(accounts.treasury()) == bank
    again = cheques.voided_cheque_paid(by=by, number=1, outcome="loss", reason="Both.", **facts)
    given.confirmed(again, Role.ORGANISER)
    assert (rest(), given.balance(accounts.treasury())) == (won.cents, bank - won.cents)
    rounds.books_agree()


def test_a_loss_is_taken_back_once_nothing_of_it_is_given_back_or_written_off() -> None:
    by = lost()
    entry = VoidedChequePayment.objects.get().uuid
    waiting = recovering.loss_entry_reverse(by=by, entry=entry, reason="Mistake.")
    recovered(by, 1)
    written_off(by, 1)
    with pytest.raises(recovering.LossEntriesStand):
        given.confirmed(waiting, Role.ORGANISER)
    two_persons.reject(proposal=waiting.uuid, by=by)
    taken_back(by, ChequeRecovery.objects.get().uuid)
    with pytest.raises(recovering.LossEntriesStand):
        recovering.loss_entry_reverse(by=by, entry=entry, reason="Mistake.")
    taken_back(by, ChequeWriteOff.objects.get().uuid)
    taken_back(by, entry)
    assert rest() == 0


def test_what_cannot_be_taken_back_is_refused() -> None:
    by = lost()
    recovered(by, 1)
    entry = ChequeRecovery.objects.get().uuid
    with pytest.raises(recovering.LossEntryUnknown):
        recovering.loss_entry_reverse(by=by, entry=uuid.uuid4(), reason="Mistake.")
    with pytest.raises(ReasonNeeded):
        recovering.loss_entry_reverse(by=by, entry=entry, reason=" ")
    with pytest.raises(PowerMissing):
        recovering.loss_entry_reverse(
            by=factories.staff(Role.CASHIER), entry=entry, reason="Mistake."
        )
    assert rest() == LOST_CENTS - 1
