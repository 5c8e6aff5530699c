"""Losses by voided cheques that are given back, in whole or in parts (ADR 69)."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from core.database import clock
from core.database.locks import MOVEMENTS, Lock
from core.journal.rules import broken
from core.kernel.days import MADRID, natural_day
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.payoffice import accounts, journal_rules
from core.payoffice.models import Cheque, ChequeRecovery
from core.payoffice.services import cheques, personal_data, recovering
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.concurrency.locks import locks_of
from tests.support.payoffice.losing import LOST_CENTS, lost, recovered, recovery

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def rest() -> int:
    """Return what is still lost, on the account as by the rows."""
    cents: int = sum(each.still_lost_cents for each in Cheque.objects.all())
    assert given.balance(accounts.voided_cheques()) == cents
    return cents


def agree() -> None:
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert [breach for rule in rules for breach in broken(rule)] == []


def test_a_loss_is_given_back_in_parts_until_nothing_is_lost() -> None:
    (won,) = given.settled(1, losers=2)
    by = lost(won)
    bank, cheque = given.balance(accounts.treasury()), Cheque.objects.get()
    proposal = recovery(by, 60_000, "  TR   1 ", giver="insurer")
    assert rest() == won.cents
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    given.confirmed(proposal, Role.ORGANISER)
    row = ChequeRecovery.objects.get()
    assert (row.cheque, row.amount_cents, row.returned_by) == (cheque, 60_000, "insurer")
    assert (row.reference, row.credited_on) == ("TR 1", natural_day(clock.now()))
    transfer = Transfer.objects.get(reference=row.uuid)
    assert (transfer.kind, transfer.amount_cents) == ("payoffice.recovery", 60_000)
    recovered(by, won.cents - 60_001, "TR 2")
    assert rest() == 1
    recovered(by, 1, "TR 3")
    assert rest() == 0
    assert given.balance(accounts.treasury()) == bank + won.cents
    for cents in (1, 0, -1):
        with pytest.raises(recovering.RecoveryAmountWrong):
            recovery(by, cents, "TR 4")
    cheque.refresh_from_db()
    assert cheque.state == "voided"  # The payee is owed as before, and gets another cheque.
    given.confirmed(cheques.cheque_reissue(by=by, number=1), Role.ORGANISER)
    assert given.balance(accounts.cheques()) == won.cents
    rounds.books_agree()
    agree()


def test_what_cannot_have_been_given_back_is_refused() -> None:
    by = lost()
    today = natural_day(clock.now())
    for cents in (LOST_CENTS + 1, 0, -1, 10**15):
        with pytest.raises(recovering.RecoveryAmountWrong):
            recovery(by, cents)
    for days in (-1, 1):
        with pytest.raises(recovering.RecoveryDayWrong):
            recovery(by, 1, on=today + timedelta(days=days))
    for reference in ("", " \u00a0 "):
        with pytest.raises(recovering.RecoveryReferenceMissing):
            recovery(by, 1, reference)
    with pytest.raises(cheques.ChequeUnknown):
        recovery(by, 1, number=2)
    with pytest.raises(PowerMissing):
        recovery(factories.staff(Role.CASHIER), 1)
    assert not Proposal.objects.filter(kind=recovering.RECOVERY.name).exists()
    assert rest() == LOST_CENTS


def test_only_a_loss_is_given_back() -> None:
    """Not a cheque that stands, a voided one that nobody cashed, or one that its payee cashed."""
    (won,) = given.worth(LOST_CENTS)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    by = factories.staff(Role.SUPERVISOR)
    with pytest.raises(recovering.ChequeNotLost):
        recovery(by, 1)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Lost."), Role.ORGANISER)
    with pytest.raises(recovering.ChequeNotLost):
        recovery(by, 1)
    by = lost(outcome="settled")
    with pytest.raises(recovering.ChequeNotLost):
        recovery(by, 1, number=2)
    assert rest() == 0


def test_a_credit_of_the_bank_is_recorded_once() -> None:
    """Also for another cheque, in other letters, or where both were proposed before."""
    by, other = lost(), lost()
    recovered(by, 10, "TR 1")
    for reference in ("TR 1", "tr 1", " TR  1"):
        for number in (1, 2):
            with pytest.raises(recovering.RecoveryRecorded):
                recovery(by, 10, reference, number=number)
    first, second = recovery(by, 20, "TR 2"), recovery(other, 20, "tr 2", number=2)
    given.confirmed(second, Role.ORGANISER)
    with pytest.raises(recovering.RecoveryRecorded):
        given.confirmed(first, Role.ORGANISER)
    assert not Decision.objects.filter(proposal=first).exists()
    assert rest() == 2 * LOST_CENTS - 30
    agree()


def test_a_credit_asks_for_its_locks_in_their_order() -> None:
    """Its row asks for that of all bank movements, which stands before that of cheques."""
    proposal, second = recovery(lost(), 40), factories.staff(Role.ORGANISER)
    with CaptureQueriesContext(connection) as queries:
        two_persons.confirm(proposal=proposal.uuid, by=second)
    taken = locks_of(queries)
    assert {(Lock.STATEMENT, MOVEMENTS), (Lock.CHEQUE, 0)} <= set(taken)
    assert taken == sorted(taken)


def test_two_proposals_for_the_same_rest_do_not_wait_together() -> None:
    by = lost()
    first = recovery(by, LOST_CENTS, "TR 1")
    with pytest.raises(two_persons.ProposalPending):
        recovery(factories.staff(Role.SUPERVISOR), LOST_CENTS, "TR 2")
    two_persons.reject(proposal=first.uuid, by=by)
    given.confirmed(recovery(by, LOST_CENTS, "TR 2"), Role.ORGANISER)
    with pytest.raises(two_persons.ProposalDecided):
        given.confirmed(first, Role.ORGANISER)
    assert rest() == 0


def test_a_proposal_for_what_is_no_longer_lost_is_refused_when_it_is_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if the second had been proposed on a subject of its own."""
    by = lost()
    first = recovery(by, 60_000, "TR 1")
    with monkeypatch.context() as patch:
        own = partial(_on_another_subject, two_persons.propose)
        patch.setattr(two_persons, "propose", own)
        second = recovery(by, 60_000, "TR 2")
    given.confirmed(first, Role.ORGANISER)
    with pytest.raises(recovering.RecoveryAmountWrong) as refusal:
        given.confirmed(second, Role.ORGANISER)
    assert refusal.value.data == {"still_lost_cents": 40_001}
    assert rest() == 40_001


def _on_another_subject(propose: Any, **facts: Any) -> Proposal:
    proposal: Proposal = propose(**facts | {"subject": "cheque:1:again"})
    return proposal


def test_an_act_that_is_killed_half_way_leaves_nothing_and_is_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by = lost()
    proposal = recovery(by, 5)
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "post", _killed)
        with pytest.raises(SystemExit):
            given.confirmed(proposal, Role.ORGANISER)
    assert not ChequeRecovery.objects.exists()
    assert not Decision.objects.filter(proposal=proposal).exists()
    second = factories.staff(Role.ORGANISER)
    for _ in range(2):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert (ChequeRecovery.objects.count(), rest()) == (1, LOST_CENTS - 5)


def _killed(**facts: Any) -> None:
    raise SystemExit


def test_a_credit_of_today_is_confirmed_after_midnight() -> None:
    lost()
    factories.time_to(datetime(2030, 4, 20, 23, 59, tzinfo=MADRID))
    by, today = factories.staff(Role.SUPERVISOR), natural_day(clock.now())
    with pytest.raises(recovering.RecoveryDayWrong):
        recovery(by, 1, on=today + timedelta(days=1))
    proposal = recovery(by, 1)
    factories.time_pass(minutes=2)
    assert natural_day(clock.now()) == today + timedelta(days=1)
    given.confirmed(proposal, Role.ORGANISER)
    row = ChequeRecovery.objects.get()
    assert (row.credited_on, natural_day(row.recorded_at)) == (today, today + timedelta(days=1))


@override_settings(PAYEE_KEPT_DAYS=1)
def test_a_loss_is_given_back_after_the_payee_was_erased() -> None:
    lost()
    factories.time_pass(days=2)
    assert personal_data.personal_data_purge(natural_day(clock.now()))["payees"] == 1
    recovered(factories.staff(Role.SUPERVISOR), LOST_CENTS)
    assert rest() == 0
    agree()
