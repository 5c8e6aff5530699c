"""Documents found by code, claim, UUID and receipt."""

import datetime
import uuid

import pytest

from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.errors import DomainError
from core.kernel.regulation import Bearer
from core.payoffice.models import Claim
from core.payoffice.services import finding
from core.payoffice.services.presenting import presentation_make
from core.payoffice.sources import DocumentUnknown
from core.premises.models import Game
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon() -> None:
    factories.time_to(rounds.NOON)


@pytest.mark.article("14.III.10.3")
def test_a_code_a_uuid_and_a_claim_lead_to_the_same_document() -> None:
    (won,) = given.worth(500)
    payable = finding.by_code(won.code)
    assert (payable.uuid, payable.amount_cents) == (won.ticket.uuid, 500)
    assert finding.by_uuid(Game.LOTOTROT, won.ticket.uuid) == payable
    presentation = presentation_make(at=factories.point().actor, code=won.code)
    assert finding.by_claim(presentation.claim) == payable
    source = finding.source_of(payable)
    assert (source.game, source.bearer) == (Game.LOTOTROT, Bearer.TICKET)


def test_a_code_that_is_wrong_or_of_no_document_says_so() -> None:
    (won,) = given.worth(500)
    mistyped = won.code[:-1] + ("0" if won.code[-1] != "0" else "1")
    wrong: list[tuple[str, type[DomainError]]] = [
        ("1ABC", CodeMalformed),
        (mistyped, CodeMistyped),
        (given.forged_code(), CodeForged),
        (given.unknown_code(), DocumentUnknown),
    ]
    for code, error in wrong:
        with pytest.raises(error):
            finding.by_code(code)
    for game in (Game.LOTOTROT, "roulette"):
        with pytest.raises(DocumentUnknown):
            finding.by_uuid(game, uuid.uuid4())


def test_the_current_claim_follows_the_acts_on_the_document() -> None:
    won, torn = given.worth(500, 600)
    payable = finding.by_code(won.code)
    untouched = finding.current_claim(payable)
    assert (untouched.state, untouched.deposit) == (None, None)
    assert untouched.today == datetime.date(2030, 3, 3)
    assert finding.claim_of(payable) is None
    presentation_make(at=factories.point().actor, code=won.code)
    assert finding.current_claim(payable).state == Claim.State.PRESENTED
    deposit = given.deposited(torn.code, factories.point().actor)
    current = finding.current_claim(finding.by_code(torn.code))
    assert (current.state, current.deposit) == (Claim.State.HELD, deposit.uuid)


@pytest.mark.article("14.III.10.5")
def test_a_deposit_leads_to_its_claim_once_it_is_matched() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    matched = given.deposited(won.code, place.actor)
    claim = finding.claim_of_deposit(matched.uuid)
    assert claim.document_id == won.ticket.pk
    assert finding.is_deposited(claim)
    assert not finding.is_deposited(None)
    unmatched = given.deposited("", place.actor, "unreadable")
    for receipt in (unmatched.uuid, uuid.uuid4()):
        with pytest.raises(DocumentUnknown):
            finding.claim_of_deposit(receipt)
