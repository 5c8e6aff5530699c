"""Presentations: once, in time, and paid once (14.III.10.2)."""

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.journal.rules import broken
from core.kernel.errors import DomainError
from core.payoffice import day_parts, journal_rules, refusals
from core.payoffice.models import Claim, Deposit, Presentation, Ruling
from core.payoffice.services import desk, matching, paying, ruling
from core.payoffice.services.checking import desk_state
from core.payoffice.services.presenting import presentation_make
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot import accounts as lototrot
from lototrot.models.tickets import Block
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.lototrot.breaching import set_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.article("14.III.10.2", "14.III.10.4"),
    pytest.mark.usefixtures("noon"),
]


def test_a_presented_document_is_presented_once_and_paid_once() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    first = presentation_make(at=place.actor, code=won.code)
    assert presentation_make(at=factories.point().actor, code=won.code) == first
    assert given.balance(lototrot.held(won.contest.pk)) == 500
    paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(refusals.AlreadyPaid):
        presentation_make(at=place.actor, code=won.code)
    assert Presentation.objects.count() == 1


@pytest.mark.article("14.III.10.3")
def test_an_altered_or_losing_or_paid_document_is_not_presented() -> None:
    altered, lost, paid = given.worth(500, 0, 600)
    place = factories.point()
    paying.payment_make(at=place.actor, request=paid.request())
    cases: list[tuple[str, bool, type[DomainError]]] = [
        (altered.code, False, refusals.DocumentAltered),
        (lost.code, True, refusals.NoPrize),
        (paid.code, True, refusals.AlreadyPaid),
    ]
    for code, intact, error in cases:
        with pytest.raises(error):
            presentation_make(at=place.actor, code=code, intact=intact)
    with pytest.raises(PowerMissing):
        presentation_make(at=factories.staff(Role.AUDITOR), code=altered.code)
    with pytest.raises(refusals.CashSessionMissing):
        presentation_make(at=factories.staff(Role.CASHIER), code=altered.code)
    assert not Presentation.objects.exists()


@pytest.mark.article("14.III.10.5")
def test_a_granted_document_needs_no_presentation() -> None:
    """[C5]: it does not lapse any more."""
    (won,) = given.worth(500)
    place = factories.point()
    deposit = given.deposited(won.code, place.actor)
    factories.time_pass(days=40)
    given.ruled(deposit, "granted")
    with pytest.raises(refusals.PresentationNeedless):
        presentation_make(at=place.actor, code=won.code)


def unread(won: given.Presented, paper: Deposit | None = None) -> Deposit:
    """Take a paper in whose code cannot be read, and match it with a ticket that it is not."""
    deposit = paper or given.deposited("", factories.point().actor, "unreadable")
    given.matched(deposit, won)
    return deposit


@pytest.mark.article("14.III.10.4", "14.III.10.5")
@pytest.mark.parametrize("first", ["presented", "matched"])
def test_a_ticket_that_another_paper_was_matched_with_is_paid_to_its_bearer(first: str) -> None:
    """[C5]: the bearer presented it in time. Nobody is paid until two persons refuse the other."""
    (won,) = given.settled(1)
    place, cashier = factories.point(), given.cashier()
    if first == "presented":
        presentation = presentation_make(at=place.actor, code=won.code)
    deposit = unread(won)
    assert breached(won) == [won.ticket.pk]
    assert desk_state(by=cashier, code=won.code).checked.presentable is (first == "matched")
    if first == "matched":
        presentation = presentation_make(at=place.actor, code=won.code)
    assert presentation_make(at=cashier, code=won.code) == presentation
    for request in (won.request(), won.request(code="", deposit=deposit.uuid)):
        with pytest.raises(refusals.MoneyHeld):
            desk.desk_pay(by=cashier, request=request)
    factories.time_pass(days=40)
    given.ruled(deposit, "refused")
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request(code="", deposit=deposit.uuid))
    claim = Claim.objects.get()
    states = [state for _at, state in day_parts.history(claim)]
    assert states == ["presented", "held", "presented"][first == "matched" :]
    assert claim.state == "presented" and claim.day is None
    assert not breached(won)
    assert given.balance(lototrot.held(won.contest.pk)) == won.cents
    assert isinstance(desk.desk_pay(by=cashier, request=won.request()), paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert not [rule.name for rule in rules for _ in broken(rule)]
    rounds.books_agree()


@pytest.mark.article("14.III.10.5")
def test_what_is_granted_to_another_paper_is_not_paid_to_who_presented() -> None:
    (won,) = given.worth(500)
    cashier = given.cashier()
    deposit = unread(won)
    presentation_make(at=cashier, code=won.code)
    factories.time_pass(days=40)
    given.ruled(deposit, "granted")
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request())
    paid = desk.desk_pay(by=cashier, request=won.request(code="", deposit=deposit.uuid))
    assert isinstance(paid, paying.Paid)


@pytest.mark.article("14.III.10.4", "14.III.10.5")
@pytest.mark.parametrize("presented", [False, True])
def test_a_price_due_back_is_paid_to_its_bearer_after_another_paper_was_refused(
    presented: bool,
) -> None:
    """[C5, C6]: it never lapses, and its bearer may come when the other was refused."""
    (won,) = given.refunds()
    cashier, deposit = given.cashier(), unread(won)
    given.ruled(deposit, "refused")
    assert given.balance(lototrot.held(won.contest.pk)) == won.cents
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request(code="", deposit=deposit.uuid))
    if presented:
        first = presentation_make(at=factories.point().actor, code=won.code)
        assert presentation_make(at=cashier, code=won.code) == first
    claim = Claim.objects.get()
    refused_at = Ruling.objects.get(claim=None, deposit=deposit).decided_at
    assert day_parts.history(claim)[-1] == (refused_at, "presented")
    assert isinstance(desk.desk_pay(by=cashier, request=won.request()), paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert not [rule.name for rule in rules for _ in broken(rule)]


@pytest.mark.article("14.III.10.4", "14.III.10.5")
@pytest.mark.parametrize("verdict", ["granted", "refused"])
@pytest.mark.parametrize("due_back", [False, True])
def test_a_torn_ticket_comes_after_another_paper_was_refused(due_back: bool, verdict: str) -> None:
    """[C5, C6]: its bearer is owed the money, and two persons decide about the ticket itself."""
    (won,) = given.refunds() if due_back else given.settled(1)
    cashier, other = given.cashier(), unread(won)
    if not due_back:
        presentation_make(at=factories.point().actor, code=won.code)
        factories.time_pass(days=40)
    given.ruled(other, "refused")
    third = given.deposited("", factories.point().actor, "unreadable")
    with pytest.raises(matching.DepositMatched):
        unread(won, third)
    torn = given.deposited(won.code, factories.point().actor)
    with pytest.raises(matching.DepositMatched):
        given.deposited(won.code, cashier)
    for receipt in ({"code": won.code}, {"code": "", "deposit": torn.uuid}):
        with pytest.raises(refusals.MoneyHeld):
            desk.desk_pay(by=cashier, request=won.request(**receipt))
    with pytest.raises(matching.DepositRuled):
        given.ruled(other, "granted")
    with pytest.raises(DatabaseError, match="no paper from the records"), transaction.atomic():
        Claim.objects.update(state=Claim.State.PRESENTED)
    given.ruled(torn, verdict)
    claim = Claim.objects.get()
    states = [state for _at, state in day_parts.history(claim)]
    assert states[-4:] == ["held", "presented", "held", verdict]
    for receipt in ({"code": won.code}, {"code": "", "deposit": other.uuid}):
        with pytest.raises((refusals.ReceiptNeeded, refusals.ClaimRefused)):
            desk.desk_pay(by=cashier, request=won.request(**receipt))
    if verdict == "granted":
        paid = desk.desk_pay(by=cashier, request=won.request(code="", deposit=torn.uuid))
        assert isinstance(paid, paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    rules = (rule for rule in journal_rules.RULES if not rule.name.endswith(".stamped"))
    assert not [rule.name for rule in rules for _ in broken(rule)]
    if not due_back:  # its tickets were voided by hand, without postings
        rounds.books_agree()


@pytest.mark.article("14.III.10.4", "14.III.10.5")
@pytest.mark.parametrize("beside", ["presented", "deposited"])
def test_a_grant_that_was_proposed_before_the_bearer_came_is_not_confirmed(beside: str) -> None:
    """[C5, C6]: a price due back is ruled on at once, and its bearer may come on any day."""
    (won,) = given.refunds()
    deposit, place = unread(won), factories.point()
    by = factories.staff(Role.ORGANISER)
    asked = {"by": by, "verdict": "granted", "reason": "Genuine.", "deposit": deposit.uuid}
    refusal = ruling.ruling_propose(**asked)
    if beside == "presented":
        presentation_make(at=place.actor, code=won.code)
    else:
        given.deposited(won.code, place.actor)
    with pytest.raises(ruling.RulingOutdated):
        given.confirmed(refusal)
    assert Claim.objects.get().state == "held"
    two_persons.reject(proposal=refusal.uuid, by=by)
    given.ruled(deposit, "refused")
    assert Claim.objects.get().state == ("presented" if beside == "presented" else "held")


@pytest.mark.article("14.III.10.3", "14.III.10.5")
def test_a_paper_that_was_taken_in_itself_or_comes_too_late_is_not_presented_beside() -> None:
    torn, late, presented = given.worth(500, 500, 500)
    place = factories.point()
    given.deposited(torn.code, place.actor)
    presentation_make(at=place.actor, code=presented.code)
    refused = given.deposited(presented.code, place.actor)
    unread(late)
    with pytest.raises(refusals.MoneyHeld):
        presentation_make(at=place.actor, code=torn.code)
    factories.time_pass(days=40)
    with pytest.raises(refusals.MoneyHeld):
        presentation_make(at=place.actor, code=late.code)
    given.ruled(refused, "refused")  # the paper that was presented is the one that they refused
    with pytest.raises(refusals.ClaimRefused):
        paying.payment_make(at=place.actor, request=presented.request())


@pytest.mark.article("14.III.10.2", "14.III.10.5")
def test_before_the_order_too_a_ticket_is_presented_beside_another_paper() -> None:
    """[C5, D7]: the order values the claim, and holds it for the two persons."""
    contest = given.contest()
    (won,) = given.tickets(contest, 1)
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    contest_settle(contest_id=contest.pk)
    deposit, place = unread(won), factories.point()
    presentation = presentation_make(at=place.actor, code=won.code)
    first, second = factories.two_organisers()
    order = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=order.uuid, by=second)
    claim = Claim.objects.get()
    assert (presentation.claim, claim.state) == (claim, "held")
    factories.time_pass(days=40)
    given.ruled(deposit, "refused")
    claim.refresh_from_db()
    assert (claim.state, claim.amount_cents > 0) == ("presented", True)
    assert day_parts.history(claim)[-2:] == [
        (claim.valued_at, "held"),
        (Ruling.objects.get(claim=None).decided_at, "presented"),
    ]
    rounds.books_agree()


@pytest.mark.article("14.I.6", "14.III.10.5")
def test_a_blocked_ticket_is_refused_with_the_paper_that_was_matched_with_it() -> None:
    """[C5, C6]"""
    (won,) = given.settled(1)
    presentation_make(at=factories.point().actor, code=won.code)
    deposit = unread(won)
    proposal = factories.proposal("lototrot.breach_block", content=set_of([won.ticket]))
    Block.objects.create(
        ticket=won.ticket, proposal=proposal, blocked_at=clock.now(), prize_cents=won.cents
    )
    factories.time_pass(days=40)
    given.ruled(deposit, "refused")
    assert Claim.objects.get().state == "refused"


def breached(won: given.Presented) -> list[int]:
    """Return the tickets of the contest in breach, as if its first start had been before all of
    them.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM lototrot_breaches(%s, '-infinity', '-infinity', 'infinity')",
            [won.contest.pk],
        )
        return [ticket for (ticket,) in cursor.fetchall()]
