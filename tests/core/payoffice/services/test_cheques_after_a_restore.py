"""Cheques that are drawn again after a restore to an earlier time: no number is given twice."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connections

from core.database import clock
from core.journal.lineages import lineage_begin
from core.kernel.days import natural_day
from core.payoffice import accounts
from core.payoffice.models import Cheque, Payment
from core.payoffice.services import cheques, desk, slips
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import databases, factories, rounds
from tests.support import paying as given
from tests.support.paying import Presented


def _drawn(by: StaffActor, *documents: Presented) -> list[Cheque]:
    for each in documents:
        given.paid_by_two(by, each.request(payee=given.MARIA))
    return list(Cheque.objects.order_by("-number")[: len(documents)])[::-1]


@pytest.fixture
def restored(own_database: databases.Database) -> Iterator[tuple[StaffActor, list[Presented], int]]:
    """Yield a cashier, documents to pay, and the number of a cheque that was handed out before the
    database was restored: it was drawn in a copy of the database, which is lost.
    """
    factories.time_to(rounds.NOON)
    documents = given.worth(250_000, 150_000)
    who = given.cashier()
    first, *_ = _drawn(who, documents[0])
    assert first.number == 1
    with databases.restored(own_database.name):
        (lost,) = _drawn(who, documents[1])
    lineage_begin(reason="restored to noon")
    connections.close_all()
    yield who, documents, lost.number


@pytest.mark.article("14.III.10.6")
def test_no_number_is_drawn_again_after_a_restore(
    restored: tuple[StaffActor, list[Presented], int],
) -> None:
    who, documents, lost = restored
    second = documents[1]
    (again,) = _drawn(who, second)
    assert (lost, again.number) == (2, 1_000_001)
    keeper, today = factories.staff(Role.SUPERVISOR), natural_day(clock.now())
    facts = {"amount_cents": second.cents, "presented_on": today}
    with pytest.raises(cheques.ChequeUnknown):  # the bank's file has what was handed out before
        cheques.cheque_reconcile(by=keeper, number=lost, **facts)
    again.refresh_from_db()
    assert again.state == Cheque.State.ISSUED
    cheques.cheque_reconcile(by=keeper, number=again.number, **facts)
    again.refresh_from_db()
    assert again.state == Cheque.State.PRESENTED
    assert given.balance(accounts.cheques()) == documents[0].cents


def test_numbers_go_on_without_gaps_in_a_lineage_and_fit_eight_digits(
    restored: tuple[StaffActor, list[Presented], int],
) -> None:
    who, (_, second), _lost = restored
    _drawn(who, second)
    keeper = factories.staff(Role.SUPERVISOR)
    given.confirmed(cheques.cheque_void(by=keeper, number=1, reason="Lost."), Role.ORGANISER)
    given.confirmed(cheques.cheque_reissue(by=keeper, number=1), Role.ORGANISER)
    newest = Cheque.objects.latest("number")
    assert (newest.number, newest.replaces.number) == (1_000_002, 1)
    document = slips.cheque_document(newest, "en")
    paper = render(document, output=Output.HTML, created_at=newest.issued_at, paper=Paper.A4)
    assert b"01000002" in (paper if isinstance(paper, bytes) else paper.encode())


@pytest.mark.parametrize("number", [2, 999_999, 2_000_000])
def test_the_database_refuses_a_number_of_another_lineage(
    restored: tuple[StaffActor, list[Presented], int], number: int
) -> None:
    who, (_, second), _lost = restored
    (drawn,) = _drawn(who, second)
    drawn.pk, drawn.number = None, number
    with pytest.raises(IntegrityError, match="not of this lineage"):
        drawn.save(force_insert=True)


@pytest.mark.article("14.III.10.6")
def test_a_lineage_without_numbers_pays_nothing_until_another_begins(
    own_database: databases.Database,
) -> None:
    factories.time_to(rounds.NOON)
    first, second = given.worth(250_000, 150_000)
    who = given.cashier()
    _drawn(who, first)
    with connections["owner"].cursor() as owner:
        owner.execute("ALTER TABLE payoffice_cheque DISABLE TRIGGER USER")
        owner.execute("UPDATE payoffice_cheque SET number = 999999")
        owner.execute("ALTER TABLE payoffice_cheque ENABLE TRIGGER USER")
    proposal = desk.desk_pay(by=who, request=second.request(payee=given.MARIA))
    assert isinstance(proposal, Proposal)
    with pytest.raises(cheques.ChequeNumbersUsedUp):
        given.confirmed(proposal)
    assert not Payment.objects.filter(amount_cents=second.cents).exists()
    connections.close_all()
    lineage_begin(reason="no numbers left")
    connections.close_all()
    given.confirmed(proposal)
    assert Cheque.objects.latest("number").number == 1_000_001
