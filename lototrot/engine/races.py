"""What happened in a race, on which horse each bet counts, and which numbers are right.

`14.III.5.4` (withdrawn horses, races drawn) and `9.9` (dead heats), readings B1 to B8 and B11.
Numbers are programme numbers; in a mask, number n is bit n-1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.kernel.errors import Conflict, Invalid

LOWEST_NUMBER = 1
HIGHEST_NUMBER = 31
"""The most a race may hold: a set of numbers fits a mask of 31 bits."""


class RaceMalformed(Invalid):
    """A race that contradicts itself: a number out of range, twice, or in two states."""

    code = "race_malformed"
    message = "The race contradicts itself."


class NumberNotInProgramme(Invalid):
    """`data["number"]` is not in the programme of the race."""

    code = "number_not_in_programme"
    message = "The programme of the race has no such number."


class NoResult(Conflict):
    """The race has no winner yet."""

    code = "no_result"
    message = "The race has no result."


class WrongWinner(Invalid):
    """`data["numbers"]` cannot have won: they took no part, or the draw was not among them."""

    code = "wrong_winner"
    message = "The winner given cannot have won this race."


class NoDraw(Conflict):
    """A race that was run and classified has no draw (`14.III.5.4.2`, `5.4.3`)."""

    code = "no_draw"
    message = "The race was run: its result is not drawn."


class Outcome(StrEnum):
    """Whether the race gave a classification; in the last three the result is drawn."""

    RUN = "run"
    NOT_RUN = "not_run"
    SUSPENDED = "suspended"
    ALL_DISQUALIFIED = "all_disqualified"


def mask_of(numbers: Iterable[int]) -> int:
    """The mask of some numbers, which must be from 1 up."""
    mask = 0
    for number in numbers:
        mask |= 1 << (number - 1)
    return mask


def numbers_of(mask: int) -> tuple[int, ...]:
    """The numbers of a mask, ascending."""
    return tuple(place + 1 for place in range(mask.bit_length()) if mask >> place & 1)


@dataclass(frozen=True, slots=True)
class Race:
    """A race: the numbers of its programme and what became of each.

    `withdrawn` before the start; `left` neither withdrawn nor started [B5]; `disqualified` started
    and was put out [B4]. The three are disjoint parts of `programme`. `winners` is empty while
    there is no result, has one number, or more in a dead heat. Raises RaceMalformed.
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
        """The numbers that took the start, ascending; none when the race was not run."""
        if self.outcome is Outcome.NOT_RUN:
            return ()
        return self._without(self.withdrawn | self.left)

    @property
    def field(self) -> tuple[int, ...]:
        """The numbers that can receive bets of withdrawn ones, ascending.

        Those that started [B2, B5]; when the race was not run, those not withdrawn, or all when
        all were [B7].
        """
        if self.outcome is Outcome.NOT_RUN:
            return self._without(self.withdrawn) or self.programme
        return self.started

    def _without(self, absent: frozenset[int]) -> tuple[int, ...]:
        return tuple(number for number in self.programme if number not in absent)


def draw_field(race: Race) -> tuple[int, ...]:
    """The numbers in the draw of a race without a classification, ascending [B7, B8].

    Not run: those not withdrawn at the declaration, all if all were. Suspended, or all
    disqualified: all that started. Raises NoDraw for a race that was run.
    """
    if race.outcome is Outcome.RUN:
        raise NoDraw
    return race.field


def substitute(number: int, race: Race) -> tuple[int, ...]:
    """The way of a bet from its number to the one it counts on, both included.

    `(4, 5, 6)`: 4 is withdrawn, 5 cannot receive bets, it counts on 6. A number not withdrawn
    stays, as `(4,)`, also when left or disqualified [B4, B5]. After the last number comes the
    first (`14.III.5.4.1`) [B1, B2]. Raises NumberNotInProgramme.
    """
    if number not in race.programme:
        raise NumberNotInProgramme(f"There is no number {number} in the race.", number=number)
    field = race.field
    if number not in race.withdrawn or number in field:
        return (number,)
    start = race.programme.index(number)
    trace = []
    for step in race.programme[start:] + race.programme[:start]:
        trace.append(step)
        if step in field:
            break
    return tuple(trace)


def check_result(race: Race) -> None:
    """That the winners can have won. Raises NoResult, WrongWinner.

    Run: any that started and was not disqualified, several in a dead heat (`14.III.9.9`).
    Drawn: exactly one of the draw [B11].
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
    """The mask of all numbers whose bets are right, through substitution and dead heats.

    Raises NoResult, WrongWinner.
    """
    check_result(race)
    return mask_of(n for n in race.programme if substitute(n, race)[-1] in race.winners)
