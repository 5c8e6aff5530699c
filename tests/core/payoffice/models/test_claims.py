"""The database's guards on claims, presentations and rulings."""

from datetime import date

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.payoffice.models import Claim, Ruling
from core.payoffice.services.matching import deposit_match
from core.payoffice.services.presenting import presentation_make
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.parametrize("state", ["paid", "presented", "granted", "refused", "exchanged"])
def test_no_claim_says_more_than_is_on_record(state: str) -> None:
    day = date(2030, 3, 2) if state == "refused" else None
    with pytest.raises(IntegrityError, match="no act on record"), transaction.atomic():
        Claim.objects.create(
            game="lototrot",
            document_id=1,
            state=state,
            amount_cents=1,
            opened_at=clock.now(),
            day=day,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_document_has_one_claim_whose_states_follow_the_rules() -> None:
    (won,) = given.worth(500)
    claim = presentation_make(at=factories.point().actor, code=won.code).claim
    for message, columns in (
        ("claim_of_document", {"document_id": claim.document_id, "amount_cents": 500}),
        ("claim_has_amount", {"document_id": 2**40, "amount_cents": 0}),
        ("claim_has_day", {"document_id": 2**40, "amount_cents": 1, "day": date(2030, 3, 2)}),
    ):
        with pytest.raises(IntegrityError, match=message), transaction.atomic():
            Claim.objects.create(game="lototrot", state="held", opened_at=clock.now(), **columns)
    for state in ("presented", "granted", "lapsed"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Claim.objects.filter(pk=claim.pk).update(state=state, changed_at=clock.now())
    assert Claim.objects.get() == claim


@pytest.mark.article("14.III.10.5")
def test_a_ruling_takes_two_persons_and_a_held_claim() -> None:
    """[C5]"""
    (won,) = given.worth(500)
    claim = presentation_make(at=factories.point().actor, code=won.code).claim
    columns = {"verdict": "granted", "reason": "x", "decided_at": clock.now()}
    proposal = factories.proposal("payoffice.ruling", f"claim:{claim.pk}")
    with pytest.raises(IntegrityError, match="the claim is not held"), transaction.atomic():
        Ruling.objects.create(claim=claim, proposal=proposal, **columns)
    deposit = given.deposited("", factories.point().actor, "unreadable")
    content = {"verdict": "granted", "reason": "x", "deposit": str(deposit.uuid)}
    proposal = factories.proposal("payoffice.ruling", content=content)
    with pytest.raises(IntegrityError, match="ruling_of_something"), transaction.atomic():
        Ruling.objects.create(deposit=deposit, proposal=proposal, **columns)


@pytest.mark.article("14.III.10.5")
def test_a_held_claim_is_presented_again_only_beside_a_refused_paper() -> None:
    """[C5]"""
    (won,) = given.worth(500)
    place = factories.point().actor
    presentation_make(at=place, code=won.code)
    given.deposited(won.code, place)
    with (
        pytest.raises(IntegrityError, match="no paper from the records was refused"),
        transaction.atomic(),
    ):
        Claim.objects.update(state="presented", changed_at=clock.now())


@pytest.mark.article("14.III.10.5")
@pytest.mark.parametrize("game", ["lototrot", "promotrot"])
def test_a_prize_that_nobody_presented_is_not_brought_back_by_a_refusal(game: str) -> None:
    """[C5]: only a price due back waits for a bearer who has not come."""
    (won, *_) = given.worth(500) if game == "lototrot" else given.bicycles()
    deposit = given.deposited("", factories.point().actor, "unreadable")
    by = factories.staff(Role.SUPERVISOR)
    matched = {"game": game, "document": won.ticket.uuid, "evidence": "Sold then."}
    deposit_match(by=by, deposit=deposit.uuid, **matched)
    ruling = {"verdict": "refused", "reason": "x", "decided_at": clock.now()}
    with (
        pytest.raises(IntegrityError, match="nobody presented another paper"),
        transaction.atomic(),
    ):
        content = {"verdict": "refused", "reason": "x", "deposit": str(deposit.uuid)}
        proposal = factories.proposal("payoffice.ruling", content=content)
        Ruling.objects.create(deposit=deposit, proposal=proposal, **ruling)
        Claim.objects.update(state="presented", changed_at=clock.now())
