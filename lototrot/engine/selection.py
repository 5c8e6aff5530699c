"""Check a player's selection against the contest, and count its bets and its amount.

The operator does not have to check the selection (14.III.1.3), so the system does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.kernel.errors import Conflict, Invalid
from lototrot.engine.races import HIGHEST_NUMBER, LOWEST_NUMBER


class WrongRaceCount(Invalid):
    """The selection does not have one list per race; `data`: expected, given."""

    code = "wrong_race_count"
    message = "The ticket does not have one selection per race of the contest."


class EmptyRace(Invalid):
    """A race has no number; `data`: race (from 1)."""

    code = "empty_race"
    message = "A race of the ticket has no number."


class MalformedNumber(Invalid):
    """A selection holds a value that is not a whole number; `data`: race."""

    code = "malformed_number"
    message = "A selection holds something that is not a number."


class UnknownNumber(Invalid):
    """The programme of the race does not have the number; `data`: race, number."""

    code = "unknown_number"
    message = "The programme of the race has no such number."


class RepeatedNumber(Invalid):
    """A race has the same number twice; `data`: race, number."""

    code = "repeated_number"
    message = "A number is twice in the same race."


class WithdrawnNumber(Conflict):
    """The horse is withdrawn, so its number is not sold [B6]; `data`: race, number."""

    code = "withdrawn_number"
    message = "The horse is withdrawn."


class TooManyBets(Invalid):
    """The ticket has more bets than the contest allows [B9]; `data`: bets, maximum."""

    code = "too_many_bets"
    message = "The ticket holds more bets than the contest allows."


class WrongPrice(Invalid):
    """The price given is not the contest's price; `data`: expected_cents, given_cents."""

    code = "wrong_price"
    message = "The price of a bet is not the contest's."


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg of a contest on sale: the mask of its programme and the mask of the numbers on sale."""

    programme_mask: int
    offered_mask: int


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of sale: legs in order, price of a bet, largest number of bets on a ticket."""

    legs: tuple[Leg, ...]
    price_cents: int
    max_bets: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The content of a ticket: one mask per leg, the number of bets, the amount in cents."""

    masks: tuple[int, ...]
    bets: int
    amount_cents: int


def select(numbers: Sequence[Sequence[int]], price_cents: int, terms: Terms) -> Selection:
    """Check a player's numbers against the terms of the contest and return the selection.

    `numbers` has one list of programme numbers per leg, in any order. `price_cents` is the price of
    a bet that the terminal showed. Raises, in this order: WrongRaceCount, WrongPrice; for each leg
    EmptyRace, MalformedNumber, UnknownNumber, RepeatedNumber, WithdrawnNumber; then TooManyBets.
    """
    if len(numbers) != len(terms.legs):
        raise WrongRaceCount(expected=len(terms.legs), given=len(numbers))
    if price_cents != terms.price_cents:
        raise WrongPrice(expected_cents=terms.price_cents, given_cents=price_cents)
    masks = []
    bets = 1
    for race, (chosen, leg) in enumerate(zip(numbers, terms.legs, strict=True), start=1):
        masks.append(_race_mask(race, chosen, leg))
        bets *= len(chosen)
    if bets > terms.max_bets:
        raise TooManyBets(bets=bets, maximum=terms.max_bets)
    return Selection(tuple(masks), bets, bets * terms.price_cents)


def _race_mask(race: int, chosen: Sequence[int], leg: Leg) -> int:
    if not chosen:
        raise EmptyRace(race=race)
    mask = 0
    for number in chosen:
        if type(number) is not int:
            raise MalformedNumber(race=race)
        bit = 1 << (number - 1) if LOWEST_NUMBER <= number <= HIGHEST_NUMBER else 0
        if not leg.programme_mask & bit:
            raise UnknownNumber(race=race, number=number)
        if mask & bit:
            raise RepeatedNumber(race=race, number=number)
        if not leg.offered_mask & bit:
            raise WithdrawnNumber(race=race, number=number)
        mask |= bit
    return mask
