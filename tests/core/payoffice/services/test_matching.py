"""Match deposits with their documents: in time, before the order, and after the lapse."""

import threading
import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, connections, transaction

from core.database import clock
from core.kernel.errors import DomainError
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.nights.nightly import lapse
from core.payoffice.models import Claim, Deposit, DepositMatch, Restoration, Ruling
from core.payoffice.refusals import AlreadyPaid, ClaimLapsed, NoPrize
from core.payoffice.services import matching, paying, ruling
from core.payoffice.sources import DocumentUnknown
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot import accounts
from promotrot import accounts as promotrot
from promotrot.models.voucher import Voucher
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.concurrency.sales import elsewhere, together
from tests.support.databases import Database
from tests.support.paying import Presented

pytestmark = pytest.mark.article("14.III.10.5")


def worth(*cents: int) -> list[Presented]:
    factories.time_to(rounds.NOON)
    return given.worth(*cents)


def unread() -> uuid.UUID:
    """Take in a paper whose code cannot be read."""
    ident: uuid.UUID = given.deposited("", factories.point().actor, "unreadable").uuid
    return ident


def match(deposit: uuid.UUID, paper: Presented, game: str = "lototrot") -> DepositMatch:
    return matching.deposit_match(
        by=factories.staff(Role.SUPERVISOR),
        deposit=deposit,
        game=game,
        document=paper.ticket.uuid,
        evidence="Sold then.",
    )


@pytest.mark.django_db
def test_who_matches_and_what_does_not_exist() -> None:
    (won,) = worth(500)
    deposit = unread()
    asked = {"deposit": deposit, "game": "lototrot", "evidence": "x"}
    with pytest.raises(PowerMissing):
        matching.deposit_match(by=factories.staff(Role.CASHIER), document=won.ticket.uuid, **asked)
    by = factories.staff(Role.SUPERVISOR)
    with pytest.raises(DocumentUnknown):
        matching.deposit_match(by=by, document=uuid.uuid4(), **asked)
    with pytest.raises(matching.DepositUnknown):
        match(uuid.uuid4(), won)
    assert not Claim.objects.exists()


@pytest.mark.django_db
def test_one_document_is_matched_once_and_a_paid_one_never() -> None:
    won, paid, lost = worth(500, 500, 0)
    deposit = unread()
    match(deposit, won)
    for again in (deposit, unread()):
        with pytest.raises(matching.DepositMatched):
            match(again, won)
    paying.payment_make(at=factories.point().actor, request=paid.request())
    with pytest.raises(AlreadyPaid):
        match(unread(), paid)
    with pytest.raises(NoPrize):
        match(unread(), lost)
    assert DepositMatch.objects.count() == 1


@pytest.mark.django_db
def test_a_deposit_of_the_last_day_is_matched_before_the_lapse_as_if_it_were_that_day() -> None:
    (won,) = worth(500)
    factories.time_pass(days=29)
    deposit = unread()
    factories.time_pass(days=1)
    assert match(deposit, won).claim.state == Claim.State.HELD
    assert not Restoration.objects.exists()
    assert ledger.balance_cents(accounts.held(won.contest.pk)) == 500


@pytest.mark.django_db
def test_what_lapsed_comes_back_once_and_keeps_its_amount() -> None:
    won, other = worth(500, 700)
    factories.time_pass(days=29)
    deposit = unread()
    factories.time_pass(days=1)
    late = unread()
    day = clock.now().date() - timedelta(days=1)
    assert lapse(day).counts["cents"] == 1_200
    matched = match(deposit, won)
    restored = Restoration.objects.get()
    assert (restored.match, restored.cents, restored.lapsed_day) == (matched, 500, day)
    assert restored.taken_from.code == accounts.carry_over("two-legs", day).code
    moved = Transfer.objects.get(reference=restored.uuid)
    assert (moved.kind, moved.amount_cents) == ("payoffice.restored", 500)
    with pytest.raises(ClaimLapsed):
        match(late, other)
    assert Claim.objects.get(document_id=other.ticket.pk).state == Claim.State.LAPSED


def test_of_two_who_match_one_lapsed_document_at_once_one_brings_it_back(
    own_database: Database,
) -> None:
    (won,) = worth(500)
    factories.time_pass(days=29)
    papers = [unread() for _ in range(4)]
    factories.time_pass(days=1)
    lapse(clock.now().date() - timedelta(days=1))
    begin = threading.Barrier(len(papers))
    refusals: list[str] = []

    def try_to_match(deposit: uuid.UUID) -> None:
        try:
            begin.wait()
            match(deposit, won)
        except DomainError as error:
            refusals.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=try_to_match, args=(each,)) for each in papers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refusals) == 3 and set(refusals) <= {"deposit_matched", "held_apart"}
    assert Restoration.objects.get().cents == 500
    assert Transfer.objects.filter(kind="payoffice.restored").count() == 1


@pytest.mark.usefixtures("own_database")
@pytest.mark.parametrize("match_is_first", [True, False])
def test_of_a_match_and_a_ruling_at_once_the_first_stands(match_is_first: bool) -> None:
    """[C5]: a prize whose deposit two persons have refused would have waited for ever."""
    (won,) = worth(500)
    deposit = unread()
    first, second = factories.staff(Role.SUPERVISOR), factories.staff(Role.SUPERVISOR)
    refusal = ruling.ruling_propose(by=first, verdict="refused", reason="x", deposit=deposit)

    def refuse() -> object:
        return two_persons.confirm(proposal=refusal.uuid, by=second)

    acts = [lambda: match(deposit, won), refuse]
    if not match_is_first:
        acts.reverse()
    with transaction.atomic():
        acts[0]()
        other = elsewhere(lambda: together(acts[1])[0])
    refusal = matching.DepositMatched if match_is_first else matching.DepositRuled
    assert isinstance(other.result(), refusal)
    assert (DepositMatch.objects.count(), Ruling.objects.count()) == (
        (1, 0) if match_is_first else (0, 1)
    )


@pytest.mark.usefixtures("own_database")
def test_a_deposit_matched_twice_at_once_is_refused_not_an_error() -> None:
    won, other = worth(500, 700)
    deposit = unread()
    with transaction.atomic():
        match(deposit, won)
        late = elsewhere(lambda: together(lambda: match(deposit, other))[0])
    assert isinstance(late.result(), matching.DepositMatched)
    assert Claim.objects.get().document_id == won.ticket.pk


@pytest.mark.usefixtures("own_database")
def test_of_two_deposits_beside_a_match_at_once_one_stands() -> None:
    """[C5]: the others wait for it and are refused."""
    (won,) = worth(500)
    places = [factories.point().actor for _ in range(4)]
    match(unread(), won)
    answers = together(*(partial(given.deposited, won.code, place) for place in places))
    refused = [each for each in answers if isinstance(each, matching.DepositMatched)]
    (torn,) = (each for each in answers if isinstance(each, Deposit))
    assert len(refused) == 3
    assert DepositMatch.objects.get(staff=None).deposit == torn


@pytest.mark.django_db
def test_a_voucher_deposited_in_time_gets_back_what_became_the_organisers() -> None:
    factories.time_to(rounds.NOON)
    voucher = given.bicycles()[0]
    row = Voucher.objects.get(pk=voucher.ticket.pk)
    factories.time_pass(days=(row.last_day - clock.now().date()).days)
    deposit = unread()
    factories.time_pass(days=1)
    lapsed = lapse(row.last_day).counts["cents"]
    before = ledger.balance_cents(promotrot.unclaimed())
    assert lapsed == before >= 400
    match(deposit, voucher, "promotrot")
    assert ledger.balance_cents(promotrot.unclaimed()) == before - 400
    assert Claim.objects.get(document_id=row.pk, game="promotrot").state == Claim.State.HELD


@pytest.mark.django_db
def test_the_database_keeps_matches_and_restorations_to_held_claims() -> None:
    (won,) = worth(500)
    deposit = unread()
    factories.time_pass(days=30)
    lapse(clock.now().date() - timedelta(days=1))
    claim = Claim.objects.get()
    with pytest.raises(IntegrityError, match="the claim is not held"), transaction.atomic():
        DepositMatch.objects.create(
            deposit=matching.deposit_get(deposit),
            claim=claim,
            staff=None,
            matched_at=clock.now(),
        )
    with pytest.raises(IntegrityError, match="not deposited in time"), transaction.atomic():
        Claim.objects.update(state="held", day=None, changed_at=clock.now())
        connection.check_constraints()
    assert won.cents == Claim.objects.get().amount_cents
