"""Give small probabilistic games, and the faults of a type on a day."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

from core.kernel.regulation import shipped as regulation
from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.game_json import shipped
from promotrot.engine.mechanics.hidden import Deal, Hidden
from promotrot.engine.mechanics.ladder import Ladder, Rung, Way
from promotrot.engine.prize_table import Prize, declarable
from promotrot.engine.situations import Mechanic
from promotrot.engine.strategies import ProbabilisticType, faults

DAY = date(2026, 11, 20)
FIGURES = regulation().in_force(DAY).promotrot
GAMES = [game for game in shipped() if isinstance(game, ProbabilisticGame)]
PRIZES = (Prize(500), Prize(200), Prize(100))
HIDDEN = Hidden(2, frozenset({0, 3}), (Deal(1, (1, 3, 0)), Deal(4, (2, 3, 0))))
LADDER = Ladder(
    (
        Rung(None, (Way("trot", 4, 5),)),
        Rung(3, (Way("trot", 1, 2), Way("sprint", 1, 4, rise=2, fall=3))),
        Rung(2, (Way("trot", 2, 5, fall=3),)),
        Rung(1, ()),
    )
)
SMALL: list[Mechanic] = [
    HIDDEN,
    LADDER,
    Hidden(3, frozenset({0, 2, 3}), (Deal(2, (1, 2, 3, 0)), Deal(1, (2, 2, 3, 3)))),
    Hidden(1, frozenset(), (Deal(1, (1, 0, 0)), Deal(3, (2, 0, 3)))),
]


def type_of(mechanic: Mechanic, **changes: object) -> ProbabilisticType:
    kind = ProbabilisticType(Fraction(70), 1000, 100, PRIZES, mechanic)
    if not [*mechanic.faults(len(PRIZES))]:
        kind = replace(kind, prize_percent=declarable(kind.percentages().worst))
    return replace(kind, **changes)


def fault_codes(kind: ProbabilisticType) -> list[str]:
    return [fault.code for fault in faults(kind, FIGURES, day=DAY, rules_published=True)]
