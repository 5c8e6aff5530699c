"""Describe a race, move bets off withdrawn horses, and find the numbers that are right.

Articles 14.III.5.4 (withdrawn horses, drawn races) and 14.III.9.9 (dead heats), readings B1 to B8
and B11. Numbers are programme numbers. In a mask, number n is bit n-1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from core.kernel.errors import Conflict, Invalid

LOWEST_NUMBER = 1
HIGHEST_NUMBER = 31
"""The highest programme number. A set of numbers must fit a mask of 31 bits."""


class RaceMalformed(Invalid):
    """The race contradicts itself: a number is out of range, repeated, or in two states."""

    code = "race_malformed"
    message = "The facts of the race contradict each other."


class NumberNotInProgramme(Invalid):
    """`data["number"]` is not in the programme of the race."""

    code = "number_not_in_programme"
    message = "The programme of the race has no such number."


class NoResult(Conflict):
    """The race has no winner yet."""

    code = "no_result"
    message = "The race has no result."


class WrongWinner(Invalid):
    """The horses `data["numbers"]` cannot have won: they did not run, or were not in the draw."""

    code = "wrong_winner"
    message = "The winner given cannot have won this race."


class NoDraw(Conflict):
    """A race that was run and classified has no draw (`14.III.5.4.2`, `5.4.3`)."""

    code = "no_draw"
    message = "The race was run: its result is not drawn."


class Outcome(StrEnum):
    """Tell if the race gave a classification. For all but RUN the winner is drawn."""

    RUN = "run"
    NOT_RUN = "not_run"
    SUSPENDED = "suspended"
    ALL_DISQUALIFIED = "all_disqualified"
    NO_WINNER = "no_winner"


def mask_of(numbers: Iterable[int]) -> int:
    """Return the mask of `numbers`, which are 1 or more."""
    mask = 0
    for number in numbers:
        mask |= 1 << (number - 1)
    return mask


@lru_cache(maxsize=65_536)
def numbers_of(mask: int) -> tuple[int, ...]:
    """Return the numbers of a mask in ascending order."""
    return tuple(place + 1 for place in range(mask.bit_length()) if mask >> place & 1)


@dataclass(frozen=True, slots=True)
class Race:
    """A race with the numbers of its programme, in ascending order, and the state of each.

    `withdrawn`: did not run, known before the start. `left`: neither withdrawn nor started [B5].
    `disqualified`: started and was disqualified [B4]. No number is in two of them. `winners` is
    empty until there is a result; it holds several numbers in a dead heat. Raises RaceMalformed.
    """

    programme: tuple[int, ...]
    withdrawn: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    disqualified: frozenset[int] = frozenset()
    winners: frozenset[int] = frozenset()
    outcome: Outcome = Outcome.RUN

    def __post_init__(self) -> None:
        numbers = self.programme
        if not numbers or list(numbers) != sorted(set(numbers)):
            raise RaceMalformed("The programme is a list of different numbers, ascending.")
        if numbers[0] < LOWEST_NUMBER or numbers[-1] > HIGHEST_NUMBER:
            raise RaceMalformed(f"Numbers go from {LOWEST_NUMBER} to {HIGHEST_NUMBER}.")
        states = {
            "withdrawn": self.withdrawn,
            "left": self.left,
            "disqualified": self.disqualified,
            "winners": self.winners,
        }
        for state, members in states.items():
            strangers = sorted(members - set(numbers))
            if strangers:
                raise RaceMalformed(f"{state}: {strangers} not in the programme", numbers=strangers)
        apart = len(self.withdrawn) + len(self.left) + len(self.disqualified)
        if len(self.withdrawn | self.left | self.disqualified) != apart:
            raise RaceMalformed("Withdrawn, left and disqualified exclude each other.")
        if self.outcome is not Outcome.NOT_RUN and not self.started:
            raise RaceMalformed("A race that was started has at least one starter.")

    @property
    def started(self) -> tuple[int, ...]:
        """Return the numbers that started, in ascending order. Empty if the race was not run."""
        if self.outcome is Outcome.NOT_RUN:
            return ()
        return self._without(self.withdrawn | self.left)

    @property
    def field(self) -> tuple[int, ...]:
        """Return the numbers that can receive bets of withdrawn horses, in ascending order.

        These are the starters [B2, B5]. If the race was not run, they are the horses that were not
        withdrawn, or all horses if all were withdrawn [B7].
        """
        if self.outcome is Outcome.NOT_RUN:
            return self._without(self.withdrawn) or self.programme
        return self.started

    def _without(self, absent: frozenset[int]) -> tuple[int, ...]:
        return tuple(number for number in self.programme if number not in absent)


def draw_field(race: Race) -> tuple[int, ...]:
    """Return the numbers that are drawn from when a race has no classification [B7, B8, B17].

    If the race was not run: the horses not withdrawn at the declaration, or all horses if all were
    withdrawn. If it was suspended, or run without a winner: all starters. In ascending order.
    Raises NoDraw for a race that was run (14.III.5.4.2, 14.III.5.4.3).
    """
    if race.outcome is Outcome.RUN:
        raise NoDraw
    return race.field


def substitute(number: int, race: Race) -> tuple[int, ...]:
    """Return the numbers a bet passes through, from the one bet on to the one it counts on.

    `(4, 5, 6)`: 4 is withdrawn, 5 cannot receive bets, the bet counts on 6. `(4,)`: 4 is not
    withdrawn, so the bet stays, also if 4 was left or disqualified [B4, B5]. After the last number
    comes the first (14.III.5.4.1) [B1, B2]. Raises NumberNotInProgramme.
    """
    if number not in race.programme:
        raise NumberNotInProgramme(f"There is no number {number} in the race.", number=number)
    if number not in race.withdrawn:
        return (number,)
    field, start = race.field, race.programme.index(number)
    trace = []
    for step in race.programme[start:] + race.programme[:start]:
        trace.append(step)
        if step in field:
            break
    return tuple(trace)


def check_result(race: Race) -> None:
    """Check that the winners can have won. Raises NoResult, WrongWinner.

    In a race that was run, starters that were not disqualified can win, several in a dead heat
    (14.III.9.9). A draw gives exactly one winner, a number that was in the draw [B11].
    """
    if not race.winners:
        raise NoResult
    drawn = race.outcome is not Outcome.RUN
    possible = set(race.field) if drawn else set(race.started) - race.disqualified
    wrong = sorted(race.winners - possible)
    if wrong:
        raise WrongWinner(f"{wrong} cannot have won the race.", numbers=wrong)
    if drawn and len(race.winners) > 1:
        raise WrongWinner("A draw gives one winner.", numbers=sorted(race.winners))


def right_mask(race: Race) -> int:
    """Return the mask of all numbers whose bets are right, after substitution and dead heats.

    Raises NoResult, WrongWinner.
    """
    check_result(race)
    return mask_of(n for n in race.programme if substitute(n, race)[-1] in race.winners)
