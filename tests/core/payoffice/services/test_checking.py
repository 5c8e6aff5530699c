"""Checks of presented documents, and the acts that the desk offers."""

import uuid
from typing import Any

import pytest

from core.kernel.regulation import Place
from core.payoffice.judging import DocumentState
from core.payoffice.services import checking, paying, presenting
from core.payoffice.services.checking import DeskAction, desk_state
from core.payoffice.sources import DocumentUnknown
from core.premises.models import Premises
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_desk_offers_what_this_person_may_do_and_nothing_else() -> None:
    small, large, torn = given.worth(500, 300_001, 500)
    who, idle, auditor = (
        given.cashier(),
        factories.staff(Role.CASHIER),
        factories.staff(Role.AUDITOR),
    )

    def offered(by: Any, code: str) -> list[str]:
        return [action.value for action in desk_state(by=by, code=code).actions]

    assert offered(who, small.code) == ["pay", "present", "deposit"]
    assert offered(who, large.code) == ["propose_payment", "present", "deposit"]
    assert offered(idle, small.code) == ["open_cash_session"]
    assert offered(auditor, small.code) == []
    given.deposited(torn.code, who)
    assert offered(who, torn.code) == []
    factories.time_pass(days=40)
    assert offered(factories.staff(Role.SUPERVISOR), torn.code) == [DeskAction.RULE]
    assert offered(who, small.code) == []
    state = desk_state(by=auditor, code=torn.code)
    assert [each.what for each in state.happened] == ["deposited"]
    assert state.happened[0].premises == given.session_of(who).premises.code


@pytest.mark.article("14.III.10.2")
def test_a_check_says_where_it_is_paid_and_why_not_here() -> None:
    (large,) = given.worth(30_000)
    here = checking.document_check(at=factories.point().actor, code=large.code)
    assert (here.state, here.refusal) == (DocumentState.PRIZE, "place_not_allowed")
    assert here.rule is not None
    assert Place.ESTABLISHMENT not in here.rule.allowed
    entity = factories.point(factories.premises(Premises.Kind.ENTITY_OFFICE))
    assert checking.document_check(at=entity.actor, code=large.code).refusal == ""
    by_holder = checking.holder_check(code=large.code)
    assert (by_holder.owed_cents, by_holder.refusal) == (30_000, None)
    assert by_holder.details()["winning_bets"]


@pytest.mark.article("14.III.10.2", "14.III.10.5")
def test_what_happened_to_a_document_is_told_in_order() -> None:
    won, torn = given.worth(500, 600)
    place = factories.point()
    presenting.presentation_make(at=place.actor, code=won.code)
    factories.time_pass(days=1)
    paying.payment_make(at=place.actor, request=won.request())
    state = desk_state(by=factories.staff(Role.AUDITOR), code=won.code)
    assert [(act.what, act.means) for act in state.happened] == [
        ("presented", ""),
        ("paid", "cash"),
    ]
    assert {act.premises for act in state.happened} == {place.premises.code}
    assert state.checked.state is DocumentState.PAID
    deposit = given.deposited(torn.code, place.actor)
    by_receipt = desk_state(by=factories.staff(Role.AUDITOR), deposit=deposit.uuid)
    assert by_receipt.checked.payable.uuid == torn.ticket.uuid
    with pytest.raises(DocumentUnknown):
        desk_state(by=factories.staff(Role.AUDITOR), deposit=uuid.uuid4())
    with pytest.raises(PowerMissing):
        desk_state(by=factories.staff(Role.STEWARDS), code=won.code)
