"""Play probabilistic games by their mechanics (15.II.3).

A mechanic gives the choices in each situation of a play (`situations.py`). `strategies.py` computes
the exact percentages of a game from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.kernel.errors import Conflict
from promotrot.engine.situations import Mechanic, Situation


class ActOutOfTurn(Conflict):
    """The play does not allow this act now."""

    code = "act_out_of_turn"
    message = "This cannot be done at this point of the play."


@dataclass(frozen=True, slots=True)
class Step:
    """An act of the player on record: its random integer and what the screen showed."""

    act: str
    draw: int
    shown: int


@dataclass(frozen=True, slots=True)
class Play:
    """A play of one ticket: the steps so far and the situation they lead to."""

    steps: tuple[Step, ...] = ()
    at: Situation = field(default_factory=Situation)

    @property
    def award(self) -> int | None:
        """Return the tier awarded (0: none), or None if the play is not over."""
        return self.at.award


def legal_acts(mechanic: Mechanic, play: Play) -> dict[str, int]:
    """Return the acts allowed now, in order, each with the bound of its random integer."""
    taken = [step.act for step in play.steps]
    return {
        act: choice.bound
        for choice in mechanic.choices(play.at)
        for act in mechanic.acts(choice, taken)
    }


def perform(mechanic: Mechanic, play: Play, act: str, draw: int) -> Play:
    """Return the play after an act. `draw`, uniform below the act's bound, decides the outcome.

    Raises ActOutOfTurn, DrawOutOfRange.
    """
    taken = [step.act for step in play.steps]
    for choice in mechanic.choices(play.at):
        if act in mechanic.acts(choice, taken):
            outcome = choice.outcome(draw)
            return Play((*play.steps, Step(act, draw, outcome.shown)), outcome.then)
    raise ActOutOfTurn(legal=[*legal_acts(mechanic, play)])


def replay(mechanic: Mechanic, acts: Iterable[tuple[str, int]]) -> Play:
    """Return the play that recorded acts and their random integers lead to. Raises the same as
    `perform`.
    """
    play = Play()
    for act, draw in acts:
        play = perform(mechanic, play, act, draw)
    return play


def standing(mechanic: Mechanic, play: Play) -> int | None:
    """Return the tier with which the player may stop at this point; None if no prize stands [P19].

    It is the rule for stopping that the game publishes: a ladder's rung, a hidden prize that may be
    kept. A rung on which a player may stop with nothing has no prize.
    """
    stops = (c for c in mechanic.choices(play.at) if c.name == mechanic.stopping)
    return next((choice.outcomes[0].then.award or None for choice in stops), None)
