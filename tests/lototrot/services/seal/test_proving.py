"""Prove that a ticket is among the sealed ones, to the holder of its code (14.III.1.5)."""

import pytest

from core.proofs import keys
from lototrot.services.seal.proving import ticket_proof
from lototrot.services.seal.sealing import ContestNotSealed, contest_seal
from tests.support import factories
from tests.support.admin_desk import sold_with_code
from tests.support.verifying.load import verifier

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.1.5")]


def test_the_proof_shows_the_ticket_without_its_code_and_can_be_verified() -> None:
    contest, point = factories.contest(), factories.point()
    factories.sell(contest, point)
    ticket, code = sold_with_code(contest, point)
    with pytest.raises(ContestNotSealed):
        ticket_proof(presented_code=code)
    contest_seal(contest_id=factories.contest_closed(contest, sealed=False).pk)
    proof = ticket_proof(presented_code=code)
    assert proof["place"] == 1
    assert proof["ticket"]["premises"] == point.premises.code
    assert proof["ticket"]["amount_cents"] == ticket.amount_cents
    assert proof["amendments"] == []
    assert code not in str(proof)
    verifier("ticket").proof_holds(proof, code, keys.current_public())
