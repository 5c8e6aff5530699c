"""Value claims opened between the results and the payment order (14.III.10.2) [D7]."""

import threading

import pytest
from django.db import IntegrityError, connections, transaction

from core.ledger import services as ledger
from core.payoffice.models import Claim
from core.payoffice.refusals import ResultsNotEstablished
from core.payoffice.services import presenting
from core.staff import two_persons
from lototrot import accounts
from lototrot.services.prizes.payables import Tickets
from lototrot.services.settlement.early import results_established
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, paying, rounds
from tests.support.databases import Database

pytestmark = pytest.mark.article("14.III.10.2")
WON_BY_ONE = [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2


def state_of(paper: paying.Presented) -> str:
    return Claim.objects.get(document_id=paper.ticket.pk).state


@pytest.mark.django_db
def test_results_are_established_with_the_last_of_them() -> None:
    contest = paying.contest()
    assert not results_established(contest)
    factories.contest_closed(contest)
    first, second = factories.races_of(contest)
    factories.classified(first, {1})
    assert not results_established(contest)
    (ticket,) = paying.tickets(contest, 1)
    with pytest.raises(ResultsNotEstablished):
        presenting.presentation_make(at=factories.point().actor, code=ticket.code)
    assert not Claim.objects.exists()
    factories.classified(second, {1})
    assert results_established(contest)


@pytest.mark.django_db
def test_the_order_values_each_claim_with_the_settlement_it_orders() -> None:
    """A settlement that is reversed meanwhile changes nothing about what was presented."""
    factories.time_to(rounds.NOON)
    contest = paying.contest()
    won, lost = paying.tickets(contest, 2)
    rounds.run(contest, WON_BY_ONE)
    place = factories.point().actor
    contest_settle(contest_id=contest.pk)
    presenting.presentation_make(at=place, code=won.code)
    first, second = factories.two_organisers()
    settlement_reverse(contest_id=contest.pk, by=first)
    race = factories.races_of(contest)[1]
    rounds.reclassify(race, [2])
    contest_settle(contest_id=contest.pk)
    presenting.presentation_make(at=place, code=lost.code)
    assert state_of(won) == state_of(lost) == Claim.State.EARLY
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    prizes = dict(
        contest.settlements.get(in_force=True).prizes.values_list("ticket_id", "prize_cents")
    )
    for paper in (won, lost):
        claim = Claim.objects.get(document_id=paper.ticket.pk)
        assert claim.state == Claim.State.PRESENTED
        assert claim.amount_cents == prizes[paper.ticket.pk] > 0
        assert claim.valued_at == claim.changed_at
    assert ledger.balance_cents(accounts.held(contest.pk)) == sum(prizes.values())
    rounds.books_agree()


def test_a_presentation_and_the_order_at_once_leave_no_claim_without_its_amount(
    own_database: Database,
) -> None:
    factories.time_to(rounds.NOON)
    contest = paying.contest()
    tickets = paying.tickets(contest, 8)
    rounds.run(contest, WON_BY_ONE)
    contest_settle(contest_id=contest.pk)
    place = factories.point().actor
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    begin = threading.Barrier(len(tickets) + 1)

    def present(code: str) -> None:
        try:
            begin.wait()
            presenting.presentation_make(at=place, code=code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=present, args=(each.code,)) for each in tickets]
    for thread in threads:
        thread.start()
    begin.wait()
    two_persons.confirm(proposal=proposal.uuid, by=second)
    for thread in threads:
        thread.join()
    claims = Claim.objects.all()
    assert {claim.state for claim in claims} == {Claim.State.PRESENTED}
    assert len(claims) == len(tickets)
    held = ledger.balance_cents(accounts.held(contest.pk))
    assert held == sum(claim.amount_cents for claim in claims)
    rounds.books_agree()


def test_without_its_lock_the_database_refuses_the_presentation_that_the_order_missed(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the test above: the order does not wait for what it cannot see."""
    monkeypatch.setattr(Tickets, "hold_pending", lambda self, payable: payable)
    factories.time_to(rounds.NOON)
    contest = paying.contest()
    (ticket,) = paying.tickets(contest, 1)
    rounds.run(contest, WON_BY_ONE)
    contest_settle(contest_id=contest.pk)
    place = factories.point().actor
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    presented, ordered = threading.Event(), threading.Event()
    refusals: list[str] = []

    def present() -> None:
        try:
            with transaction.atomic():
                presenting.presentation_make(at=place, code=ticket.code)
                presented.set()
                ordered.wait(60)
        except IntegrityError as error:
            refusals.append(str(error))
        finally:
            connections.close_all()

    thread = threading.Thread(target=present)
    thread.start()
    assert presented.wait(60)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    ordered.set()
    thread.join()
    assert len(refusals) == 1 and "awaits no payment order" in refusals[0]
    assert not Claim.objects.exists()
