"""Documents that are held, and what two persons decide about them (14.III.10.5)."""

import pytest

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import natural_day
from core.payoffice import journal_rules, refusals
from core.payoffice.judging import DocumentState
from core.payoffice.models import Claim
from core.payoffice.services import deposits, desk, matching, paying, ruling
from core.payoffice.services.checking import holder_check
from core.staff.powers import Role
from lototrot import accounts as lototrot
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.3", "14.III.10.5")
def test_a_deposit_granted_after_the_period_is_paid_against_its_receipt() -> None:
    """[C5]: held from the match, paid to nobody else, ruled on after the period by two persons."""
    (won,) = given.worth(500)
    place, cashier = factories.point(), given.cashier()
    deposit = given.deposited(won.code, place.actor)
    assert given.balance(lototrot.held(won.contest.pk)) == 500
    with pytest.raises(refusals.MoneyHeld):
        paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(matching.DepositMatched):
        given.deposited(won.code, cashier)
    with pytest.raises(ruling.PeriodRunning):
        given.ruled(deposit, "granted")
    factories.time_pass(days=40)
    assert [each.deposit for each in ruling.rulings_due(natural_day(clock.now()))] == [deposit.uuid]
    given.ruled(deposit, "granted")
    with pytest.raises(matching.DepositRuled):
        given.ruled(deposit, "refused")
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request())
    with pytest.raises(refusals.PlaceNotAllowed):  # its terminal chose the receipt's number
        paying.payment_make(at=place.actor, request=won.request(code="", deposit=deposit.uuid))
    paid = desk.desk_pay(by=cashier, request=won.request(code="", deposit=deposit.uuid))
    assert isinstance(paid, paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    assert ruling.rulings_due(natural_day(clock.now())) == []


@pytest.mark.article("14.III.10.4", "14.III.10.5")
@pytest.mark.parametrize("verdict", ["granted", "refused"])
def test_a_torn_ticket_is_deposited_beside_a_paper_that_was_matched_with_it(verdict: str) -> None:
    """[C5]: two persons decide about that paper first. Refused, it was another, and they decide
    about the ticket; granted, its bearer alone is paid.
    """
    (won,) = given.settled(1)
    cashier, by = given.cashier(), factories.staff(Role.SUPERVISOR)
    other = given.deposited("", factories.point().actor, "unreadable")
    matched = {"game": "lototrot", "document": won.ticket.uuid, "evidence": "Sold then."}
    matching.deposit_match(by=by, deposit=other.uuid, **matched)
    torn = given.deposited(won.code, factories.point().actor)
    with pytest.raises(matching.DepositMatched):
        given.deposited(won.code, cashier)
    with pytest.raises(matching.DepositMatched):
        third = given.deposited("", factories.point().actor, "unreadable")
        matching.deposit_match(by=by, deposit=third.uuid, **matched)
    factories.time_pass(days=40)
    with pytest.raises(ruling.OtherDepositFirst):
        given.ruled(torn, "granted")
    given.ruled(other, verdict)
    paid, unpaid = (other, torn) if verdict == "granted" else (torn, other)
    if verdict == "refused":
        assert given.balance(lototrot.held(won.contest.pk)) == won.cents
        for receipt in ({"code": won.code}, {"code": "", "deposit": torn.uuid}):
            with pytest.raises(refusals.MoneyHeld):
                desk.desk_pay(by=cashier, request=won.request(**receipt))
        with pytest.raises(matching.DepositRuled):
            given.ruled(other, "granted")
        given.ruled(torn, "granted")
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request(code="", deposit=unpaid.uuid))
    answer = desk.desk_pay(by=cashier, request=won.request(code="", deposit=paid.uuid))
    assert isinstance(answer, paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert not [rule.name for rule in rules for _ in broken(rule)]
    rounds.books_agree()


def test_the_money_of_two_papers_that_are_refused_is_forfeited_once() -> None:
    (won,) = given.settled(1)
    other = given.deposited("", factories.point().actor, "unreadable")
    given.matched(other, won)
    torn = given.deposited(won.code, factories.point().actor)
    factories.time_pass(days=40)
    today = natural_day(clock.now())
    for waiting in (other, torn):
        due = [each.deposit for each in ruling.rulings_due(today)]
        assert due == [waiting.uuid]
        assert given.balance(lototrot.held(won.contest.pk)) == won.cents
        given.ruled(waiting, "refused")
    assert ruling.rulings_due(today) == []
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    assert Claim.objects.get().state == Claim.State.REFUSED


@pytest.mark.article("14.III.10.5", "14.III.10.7")
def test_an_unreadable_ticket_is_matched_from_the_records_and_refused() -> None:
    """Refused money is carried over to the first meeting after the day of the ruling [C5]."""
    (won,) = given.worth(500)
    office, supervisor = factories.point(given.office()), factories.staff(Role.SUPERVISOR)
    with pytest.raises(deposits.CodeUnreadable):
        given.deposited(won.code, office.actor, "unreadable")
    with pytest.raises(deposits.CodeUnreadable):
        given.deposited("", office.actor, "damaged")
    deposit = given.deposited("", office.actor, "unreadable")
    assert holder_check(code=won.code).state is DocumentState.PRIZE
    matched = {"game": "lototrot", "document": won.ticket.uuid}
    with pytest.raises(ruling.ReasonNeeded):
        matching.deposit_match(by=supervisor, deposit=deposit.uuid, evidence=" ", **matched)
    matching.deposit_match(by=supervisor, deposit=deposit.uuid, evidence="Sold then.", **matched)
    assert holder_check(code=won.code).state is DocumentState.DEPOSITED
    factories.time_pass(days=40)
    given.ruled(deposit, "refused")
    day = natural_day(clock.now())
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    assert given.balance(lototrot.carry_over(won.contest.bet_type_code, day)) == 500
    with pytest.raises(refusals.ClaimRefused):
        paying.payment_make(at=factories.point().actor, request=won.request())


def test_a_deposit_never_matched_can_only_be_refused_and_moves_nothing() -> None:
    deposit = given.deposited("", factories.point().actor, "unreadable")
    with pytest.raises(ruling.NotHeld):
        given.ruled(deposit, "granted")
    given.ruled(deposit, "refused")
    (won,) = given.worth(500)
    with pytest.raises(matching.DepositRuled):
        given.matched(deposit, won, "Too late.")
    assert ruling.rulings_due(natural_day(clock.now())) == []
