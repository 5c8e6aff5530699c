"""The state of a document, and the verdict on paying it here today (14.III.10)."""

import datetime
import uuid
from typing import Any

import pytest

from core.kernel.errors import DomainError
from core.kernel.regulation import Bearer, Duty, Means, Place, shipped
from core.ledger.services import liability
from core.payoffice import judging, refusals
from core.payoffice.judging import DocumentState, Standpoint
from core.payoffice.models import Claim
from core.payoffice.sources import Nature, Payable, Standing, Thing
from core.premises.models import Premises

TODAY = datetime.date(2030, 3, 10)
DAY = datetime.timedelta(days=1)
FIGURES = shipped().in_force(TODAY).payment
OWED, HELD = liability("test:owed"), liability("test:held")
ESTABLISHMENT = Standpoint(Place.ESTABLISHMENT, 1)
CENTRAL_OFFICE = Standpoint(Place.CENTRAL_OFFICE, 2)


def payable(**changes: Any) -> Payable:
    """Return a ticket that is owed 50.00 since yesterday, until tomorrow."""
    facts: dict[str, Any] = {
        "game": "lototrot",
        "bearer": Bearer.TICKET,
        "document_id": 1,
        "uuid": uuid.uuid4(),
        "issuer_id": 1,
        "issued_at": datetime.datetime(2030, 3, 1, tzinfo=datetime.UTC),
        "standing": Standing.OWED,
        "amount_cents": 5_000,
        "first_pay_day": TODAY - DAY,
        "last_claim_day": TODAY + DAY,
        "owed": OWED,
        "held": HELD,
    }
    return Payable(**(facts | changes))


BY_RECEIPT: dict[str, Any] = {"deposited": True, "against_receipt": True}


def verdict(document: Payable, claim: str | None = None, **changes: Any) -> judging.Verdict:
    facts: dict[str, Any] = {
        "deposited": False,
        "against_receipt": False,
        "today": TODAY,
        "at": ESTABLISHMENT,
        "figures": FIGURES,
    }
    return judging.verdict(document, claim, **(facts | changes))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"standing": Standing.PENDING}, DocumentState.SOLD),
        ({"standing": Standing.VOID}, DocumentState.VOID),
        ({"standing": Standing.NO_PRIZE}, DocumentState.NO_PRIZE),
        ({}, DocumentState.PRIZE),
        ({"nature": Nature.REFUND}, DocumentState.REFUND_DUE),
        ({"last_claim_day": TODAY}, DocumentState.PRIZE),
        ({"last_claim_day": TODAY - DAY}, DocumentState.LAPSED),
        ({"last_claim_day": None}, DocumentState.PRIZE),
    ],
)
@pytest.mark.article("14.III.10.2")
def test_without_a_claim_the_game_says_the_state(
    changes: dict[str, Any], state: DocumentState
) -> None:
    """[D3, D6]: the last day counts until its midnight."""
    assert judging.state_of(payable(**changes), None, deposited=False, today=TODAY) is state


@pytest.mark.parametrize("claim", Claim.State.values)
def test_a_claim_says_the_state_whatever_the_day(claim: str) -> None:
    """An early claim has the state that it will have once the payment order values it [D7]."""
    over = payable(last_claim_day=TODAY - DAY)
    state = judging.state_of(over, claim, deposited=False, today=TODAY)
    assert state == {"held": "blocked", "early": "presented"}.get(claim, claim)
    if claim in ("held", "early"):
        deposited = judging.state_of(over, claim, deposited=True, today=TODAY)
        assert deposited is DocumentState.DEPOSITED


@pytest.mark.parametrize("state", DocumentState)
def test_only_what_is_owed_or_presented_or_granted_can_be_claimed(state: DocumentState) -> None:
    claimable = judging.UNTOUCHED | {DocumentState.PRESENTED, DocumentState.GRANTED}
    if state in claimable:
        judging.need_claimable(state)
    else:
        with pytest.raises(DomainError):
            judging.need_claimable(state)


@pytest.mark.article("14.III.10.2", "14.III.10.6")
def test_a_verdict_names_means_duty_claim_and_account() -> None:
    here = verdict(payable())
    assert (here.means, here.duty, here.expected, here.debit) == (
        Means.CASH,
        Duty.MUST,
        None,
        OWED,
    )
    presented = verdict(payable(), "presented")
    assert (presented.expected, presented.debit) == ("presented", HELD)
    granted = verdict(payable(), "granted", at=CENTRAL_OFFICE, **BY_RECEIPT)
    assert (granted.expected, granted.debit) == ("granted", HELD)
    large = verdict(payable(amount_cents=100_001), at=CENTRAL_OFFICE)
    assert large.means is Means.NOMINATIVE_CHEQUE


@pytest.mark.article("14.III.10.2", "14.III.10.5")
def test_the_first_refusal_that_applies_is_raised() -> None:
    """State, then day, then receipt, then place."""
    early: dict[str, Any] = {"first_pay_day": TODAY + DAY, "amount_cents": 100_001}
    cases: list[tuple[Payable, str | None, dict[str, Any], type[DomainError]]] = [
        (payable(**early), "paid", {}, refusals.AlreadyPaid),
        (payable(**early), None, {"against_receipt": True}, refusals.PaidTooEarly),
        (payable(), "granted", {"deposited": True}, refusals.ReceiptNeeded),
        (payable(), None, {"against_receipt": True}, refusals.ReceiptNeeded),
        (payable(), "granted", BY_RECEIPT, refusals.PlaceNotAllowed),
        (payable(amount_cents=30_000), None, {}, refusals.PlaceNotAllowed),
        (payable(amount_cents=100_001), None, {}, refusals.PlaceNotAllowed),
        (payable(owed=None, held=None), None, {}, refusals.NoPrize),
    ]
    for document, claim, changes, error in cases:
        with pytest.raises(error):
            verdict(document, claim, **changes)


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_is_for_the_central_office_whatever_the_amount() -> None:
    """[P4]"""
    bicycle = payable(nature=Nature.IN_KIND, thing=Thing("bicycle", "Bicycle"), amount_cents=400)
    rule = judging.rule_of(bicycle, FIGURES)
    assert rule.allowed == (Place.CENTRAL_OFFICE,)
    with pytest.raises(refusals.ThingPlaceNotAllowed) as refused:
        verdict(bicycle)
    assert refused.value.data == {"places": ["central_office"]}
    assert verdict(bicycle, at=CENTRAL_OFFICE).duty is Duty.MUST


def test_every_kind_of_premises_is_a_place_of_payment() -> None:
    assert set(judging.PLACE_OF_KIND) == set(Premises.Kind.values)
