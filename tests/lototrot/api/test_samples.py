"""Check that the example bodies of the schema are accepted by the shapes that they document."""

import json
from fractions import Fraction
from typing import Any

import pytest

from core.api import bodies
from core.api.shapes import Shape
from lototrot.api import samples
from lototrot.api.contests import ContestIn
from lototrot.api.course_shapes import ClassificationIn
from lototrot.api.programmes import ApprovalIn, MeetingOut, ProgrammeIn
from lototrot.api.rules import BetTypeIn
from lototrot.api.sale import SaleIn
from lototrot.api.tickets import TicketCard
from lototrot.engine.bet_type import BetType
from lototrot.engine.programme_json import parse_json


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (ContestIn, samples.CONTEST),
        (ClassificationIn, samples.CLASSIFICATION),
        (ApprovalIn, samples.APPROVAL),
        (ProgrammeIn, samples.PROGRAMME),
        (BetTypeIn, samples.BET_TYPE),
    ],
)
def test_the_shape_accepts_the_example(shape: type[Shape], body: dict[str, Any]) -> None:
    read = shape(data=body)
    assert read.is_valid(), read.errors


def test_the_engine_accepts_the_documents() -> None:
    document = samples.BET_TYPE["document"]
    rules = BetType.from_document(document, minimum_prize_percent=Fraction(55))
    assert rules.prize_percent == Fraction(60)
    programme = parse_json(json.dumps(samples.PROGRAMME).encode())
    assert len(programme.races) == 1


def test_the_sale_is_the_ticket_that_answers_it() -> None:
    sale = bodies.from_document(SaleIn, samples.SALE)
    assert sale.amount_cents == samples.TICKET["bets"] * sale.price_cents
    assert samples.TICKET["uuid"] == sale.uuid
    assert set(samples.TICKET) == set(TicketCard().fields)
    assert set(samples.MEETING) == set(MeetingOut().fields)
