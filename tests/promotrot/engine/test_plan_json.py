"""Read the plan that was written, and refuse every other document."""

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from promotrot.engine.game import PredrawnGame
from promotrot.engine.game_json import GameRefused, shipped
from promotrot.engine.plan import Plan, make_plan
from promotrot.engine.plan_json import read_plan
from promotrot.engine.shortfall import with_extra

MINIMUM = Fraction(70)


def _plans() -> list[Plan]:
    """Return the plans of all shipped games, without and with extra prizes."""
    plans = []
    for game in shipped():
        if isinstance(game, PredrawnGame):
            extra, _ = with_extra(game.kind, 100_000, len(game.kind.tiers))
            for kind in (game.kind, extra):
                plans.append(make_plan(kind, MINIMUM, block_tickets=game.block_tickets))
    return plans


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("plan", _plans(), ids=lambda plan: f"{plan.tickets}-{len(plan.tiers)}")
def test_a_plan_reads_back_to_the_digest(plan: Plan) -> None:
    read = read_plan(plan.document())
    assert read == plan
    assert read.digest() == plan.digest()


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "another format": lambda d: d.update(format="promotrot-plan/2"),
    "other tickets": lambda d: d.update(tickets=d["tickets"] + 1),
    "something more": lambda d: d.update(colour="red"),
    "no classes": lambda d: d.update(classes=[]),
    "a class of nothing": lambda d: d["classes"][0].update(blocks=0),
    "a tier that says too much": lambda d: d["tiers"][0].update(colour="red"),
    "an extra that is no truth value": lambda d: d["tiers"][0].update(extra=1),
    "a count that is no number": lambda d: d["tiers"][0].update(count="1"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_document_is_refused(change: str) -> None:
    document = copy.deepcopy(_plans()[0].document())
    assert isinstance(document, dict)
    CHANGES[change](document)
    with pytest.raises(GameRefused):
        read_plan(document)
