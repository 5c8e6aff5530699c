"""Refuse rows that the authority's decisions do not allow, in the database [A19, A21]."""

import uuid
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.kernel.days import natural_day
from lototrot.models.authority import FiguresAmendment, GameEnd
from tests.support import factories

pytestmark = pytest.mark.django_db


def an_end(**changes: Any) -> GameEnd:
    fields = {
        "uuid": uuid.uuid4(),
        "bet_type_code": "two-legs",
        "decision": "Resolució 3",
        "moves": [],
        "cents": 0,
        "ended_at": clock.now(),
    } | changes
    named = {"bet_type": "two-legs", "decision": fields["decision"], "destinations": []}
    proposal = factories.proposal("lototrot.game_end", content=named)
    return GameEnd.objects.create(**fields, proposal=proposal)


def test_a_bet_type_ends_once_by_a_decision() -> None:
    for changes in ({"decision": ""}, {"cents": -1}):
        with pytest.raises(IntegrityError, match="game_end_is_decided"), transaction.atomic():
            an_end(**changes)
    an_end()
    with pytest.raises(IntegrityError), transaction.atomic():
        an_end()
    with pytest.raises(DatabaseError), transaction.atomic():
        GameEnd.objects.update(decision="Another")


def test_an_amendment_has_a_source_and_a_day_of_its_own() -> None:
    def amendment(source: str) -> FiguresAmendment:
        day = natural_day(clock.now())
        named = {"in_force_from": day.isoformat(), "source": source, "bet_type": {}}
        return FiguresAmendment.objects.create(
            in_force_from=day,
            source=source,
            bet_type={},
            entered_at=clock.now(),
            proposal=factories.proposal("lototrot.figures_amendment", content=named),
        )

    with pytest.raises(IntegrityError, match="amendment_has_source"), transaction.atomic():
        amendment("")
    first = amendment("BOIB 1")
    with pytest.raises(IntegrityError), transaction.atomic():
        amendment("BOIB 2")
    assert str(first).endswith("BOIB 1")
