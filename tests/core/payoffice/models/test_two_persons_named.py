"""The database's guards: what is paid, exchanged or ruled on is what two persons named."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.payoffice.models import CashSession, Claim, Deposit, Exchange, Payment, StockItem
from core.payoffice.services import desk, goods, paying
from core.premises.models import OperatorSession, Premises
from core.premises.requests import new_uuid
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def refused(message: str, **columns: Any) -> None:
    with pytest.raises(IntegrityError, match=message), transaction.atomic():
        Payment.objects.create(**columns)


def paid_claim(of: given.Presented) -> Claim:
    """Write the claim of a document as paid, before its payment is there."""
    claim: Claim = Claim.objects.create(
        game="lototrot",
        document_id=of.ticket.pk,
        state=Claim.State.PAID,
        amount_cents=of.cents,
        opened_at=clock.now(),
    )
    return claim


@pytest.mark.article("14.III.10.4")
def test_a_decision_about_one_document_pays_no_other() -> None:
    """The database looked at who decided, and not at what: a program could pay another ticket."""
    won, other = given.worth(40_000, 40_000)
    proposal = desk.desk_pay(by=given.cashier(), request=won.request())
    assert isinstance(proposal, Proposal)
    _confirmed_past_the_service(proposal)
    drawer = CashSession.objects.get(uuid=proposal.content["cash_session"])
    another_drawer = given.session_of(given.cashier())
    Claim.objects.update(state="paid", changed_at=clock.now())
    right: dict[str, Any] = {
        "uuid": uuid.UUID(proposal.content["uuid"]),
        "request_digest": bytes(32),
        "claim": Claim.objects.get(),
        "paid_at": clock.now(),
        "amount_cents": 40_000,
        "means": "cash",
        "place": "central_office",
        "premises": drawer.premises,
        "staff_id": proposal.proposed_by_id,
        "cash_session": drawer,
        "proposal": proposal,
    }
    for wrong in (
        {"claim": paid_claim(other)},
        {"uuid": uuid.uuid4()},
        {"amount_cents": 40_001},
        {"cash_session": another_drawer},
        {"staff_id": another_drawer.cashier_id},
    ):
        refused("confirmed another", **right | wrong)
    Payment.objects.create(**right)
    transaction.set_rollback(True)  # the other claim has no payment


def _confirmed_past_the_service(proposal: Proposal) -> None:
    by = factories.staff(Role.SUPERVISOR)
    Decision.objects.create(
        proposal=proposal,
        verdict=Decision.Verdict.CONFIRMED,
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
    )


@pytest.mark.article("14.III.10.5")
def test_a_decision_about_one_claim_rules_on_no_other() -> None:
    (won,) = given.worth(500)
    deposit = given.deposited(won.code, factories.point().actor)
    claim = Claim.objects.get()
    right = {"verdict": "granted", "reason": "x", "claim": claim.pk, "deposit": str(deposit.uuid)}
    for wrong in (
        {"verdict": "refused"},
        {"reason": "y"},
        {"claim": claim.pk + 1},
        {"deposit": str(uuid.uuid4())},
    ):
        proposal = factories.proposal("payoffice.ruling", content=right | wrong)
        with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
            _ruling(claim, deposit, proposal)
    _ruling(claim, deposit, factories.proposal("payoffice.ruling", content=right))


def _ruling(claim: Claim, deposit: Deposit, proposal: Proposal) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO payoffice_ruling (claim_id, deposit_id, verdict, reason, proposal_id,"
            " decided_at) VALUES (%s, %s, 'granted', 'x', %s, core_now())",
            [claim.pk, deposit.pk, proposal.pk],
        )


# --- A second operator ----------------------------------------------------------------------------


def _of_other_premises(second: Point) -> dict[str, Any]:
    other = factories.point()
    return {"second_operator_id": other.operator.pk, "second_session_id": other.session.pk}


def _of_a_colleague(second: Point) -> dict[str, Any]:
    return {"second_operator_id": factories.point(second.premises).operator.pk}


def _who_went_home(second: Point) -> dict[str, Any]:
    ended_at = clock.now()
    OperatorSession.objects.filter(pk=second.session.pk).update(ended_at=ended_at)
    factories.time_pass(minutes=2)
    return {"paid_at": clock.now()}


def _whose_session_is_over(second: Point) -> dict[str, Any]:
    factories.time_pass(days=31)
    return {"paid_at": clock.now()}


@pytest.mark.article("14.III.10.4")
@pytest.mark.parametrize(
    "changes", [_of_other_premises, _of_a_colleague, _who_went_home, _whose_session_is_over]
)
def test_the_second_of_two_operators_is_signed_on_there(
    changes: Callable[[Point], dict[str, Any]],
) -> None:
    """Any two numbers were enough for the database: a colleague at home, or a stranger."""
    won, other = given.worth(40_000, 40_000)
    place = factories.premises(Premises.Kind.ENTITY_OFFICE)
    first, second = factories.point(place), factories.point(place)
    paying.payment_make(at=first.actor, request=won.request(), second=second.actor)
    payment = Payment.objects.get()
    columns = {
        field.attname: getattr(payment, field.attname)
        for field in Payment._meta.fields
        if field.name != "id"
    }
    columns |= {"uuid": uuid.uuid4(), "claim_id": paid_claim(other).pk}
    refused("is not signed on", **columns | changes(second))
    transaction.set_rollback(True)


# --- A thing for its voucher ----------------------------------------------------------------------


@pytest.mark.article("15.III.6.5")
def test_a_voucher_is_exchanged_for_its_own_thing_and_a_unit_of_it_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program handed a yacht out for a voucher of a bicycle, and nothing compared the two."""
    voucher, _ = given.bicycles()
    who = given.cashier()
    place = given.session_of(who).premises
    given.stocked(place)
    given.stocked(place, code="yacht")
    yacht, whole = StockItem.objects.get(code="yacht"), goods._move
    for name, dishonest, message in (
        ("_item_held", lambda code: yacht, "no voucher is for that thing"),
        ("_move", lambda *of, **named: None, "no unit left"),
        ("_move", lambda item, *of, **named: whole(yacht, *of, **named), "is for another thing"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(goods, name, dishonest)
            with pytest.raises(IntegrityError, match=message), transaction.atomic():
                request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
                goods.exchange_make(by=who, request=request)
                with connection.cursor() as cursor:
                    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
    goods.exchange_make(by=who, request=request)


@pytest.mark.article("15.III.6.5")
def test_nothing_but_a_voucher_is_exchanged_for_a_thing() -> None:
    """A program gave a bicycle for a ticket of the other game, or for a document of its own."""
    (won,) = given.worth(400)
    who = given.cashier()
    place = given.session_of(who).premises
    given.stocked(place)
    for game, document in (("lototrot", won.ticket.pk), ("promotrot", 1), ("another", 1)):
        claim = Claim.objects.create(
            game=game,
            document_id=document,
            state=Claim.State.EXCHANGED,
            amount_cents=400,
            opened_at=clock.now(),
        )
        with pytest.raises(IntegrityError, match="no voucher is for"), transaction.atomic():
            Exchange.objects.create(
                uuid=new_uuid(),
                claim=claim,
                item=StockItem.objects.get(),
                amount_cents=400,
                unit_cents=StockItem.objects.get().unit_cents,
                request_digest=bytes(32),
                exchanged_at=clock.now(),
                premises=place,
                staff_id=who.user_id,
            )
    transaction.set_rollback(True)  # the claims have no exchange
