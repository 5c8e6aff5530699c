"""Prove to everybody that a ticket was sealed, by its code, through the API."""

import pytest

from lototrot.services.seal.proving import ticket_proof
from lototrot.services.seal.sealing import contest_seal
from tests.support import factories
from tests.support.admin_desk import sold_with_code
from tests.support.api import Api, refused

pytestmark = pytest.mark.django_db


def test_a_ticket_is_proved_by_its_code_alone_once_sealed() -> None:
    contest, everybody = factories.contest(), Api()
    ticket, code = sold_with_code(contest, factories.point())
    seal = f"lototrot/contests/{contest.pk}/seal"
    refused(everybody.get(seal), 409, "contest_not_sealed")
    refused(everybody.post("lototrot/proofs", {"code": code}), 409, "contest_not_sealed")
    factories.contest_closed(contest)
    contest_seal(contest_id=contest.pk)
    answer = everybody.post("lototrot/proofs", {"code": code})
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert answer.json() == ticket_proof(presented_code=code)
    assert str(ticket.uuid) not in answer.content.decode()
    sealed = everybody.get(seal)
    assert sealed.json() == {"seal": answer.json()["seal"], "amendments": []}
    assert "max-age=5" in sealed["Cache-Control"]


def test_proofs_refused() -> None:
    everybody = Api()
    refused(everybody.post("lototrot/proofs", {"code": "x"}), 422, "code_malformed")
    refused(everybody.post("lototrot/proofs", {}), 422, "fields_invalid")
    refused(everybody.get("lototrot/contests/999999/seal"), 404, "contest_unknown")
