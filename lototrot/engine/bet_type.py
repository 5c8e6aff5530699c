"""Read a bet type: the number of legs, the categories, and the division of the prize money.

Lototrot's bet type (14.III.7, 9.2, 9.3) is a document in `lototrot/bet_types/`. Another number of
legs or other categories need another document and no other code.

A form shows all faults of a bet type at once, each with a code and the name of its field.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from importlib import resources
from types import MappingProxyType
from typing import Any, ClassVar

from core.kernel.bet_type_figures import BetTypeFigures
from core.kernel.canonical import Json
from core.kernel.documents import Fault, Table, loads
from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS, percent_text

CENT = 1
"""The step of the prizes of the regulation's own bet type, in cents [A14]."""
MIN_LEGS = 2
MAX_LEGS = 10
MAX_VERSION = 2**31 - 1
MAX_CODE_CHARS = 40
MAX_NAME_CHARS = 64
RESERVE = "reserve"

_KEYS = (
    "code",
    "version",
    "name",
    "legs",
    "prize_percent",
    "payout_step_cents",
    "jackpot_threshold_cents",
    "shares_below",
    "shares_above",
)


class BetTypeRefused(Invalid):
    """A bet type document with errors; `data["errors"]` lists them all as {code, field, detail}."""

    code = "bet_type_refused"
    message = "The bet type is not valid."


class Regime(StrEnum):
    """The division that applies, named after its article."""

    BELOW = "9.2"
    ABOVE = "9.3"


@dataclass(frozen=True, slots=True)
class Shares:
    """One division of the prize money in percent; categories and reserve sum to 100."""

    categories: Mapping[int, Fraction]
    reserve: Fraction


@dataclass(frozen=True, slots=True)
class BetType:
    """One version of a bet type.

    `categories` are numbers of races right, from all of them downwards without a gap. Prizes are
    multiples of `payout_step_cents` [A14]; the regime is 9.3 when the accumulated figure exceeds
    `jackpot_threshold_cents` [A1].
    """

    code: str
    version: int
    name: str
    legs: int
    prize_percent: Fraction
    payout_step_cents: int
    jackpot_threshold_cents: int
    categories: tuple[int, ...]
    below: Shares
    above: Shares

    def regime(self, accumulated_cents: int) -> Regime:
        """The regime for an accumulated figure; exactly the threshold is 9.2 [A1]."""
        return Regime.ABOVE if accumulated_cents > self.jackpot_threshold_cents else Regime.BELOW

    def shares(self, regime: Regime) -> Shares:
        """The division of a regime."""
        return self.above if regime is Regime.ABOVE else self.below

    def to_document(self) -> dict[str, Json]:
        """The document this bet type is read from, in its canonical form."""
        return {
            "code": self.code,
            "version": self.version,
            "name": self.name,
            "legs": self.legs,
            "prize_percent": percent_text(self.prize_percent),
            "payout_step_cents": self.payout_step_cents,
            "jackpot_threshold_cents": self.jackpot_threshold_cents,
            "shares_below": _shares_document(self.below),
            "shares_above": _shares_document(self.above),
        }

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], *, minimum_prize_percent: Fraction
    ) -> "BetType":
        """Read and check a document; `minimum_prize_percent` is the regulation's (`14.III.6.1`).

        Percentages are ints or decimal texts. Raises BetTypeRefused with every error found.
        """
        if not isinstance(document, Mapping):
            raise BetTypeRefused("A bet type is an object.", errors=[])
        faults: list[Fault] = []
        bet_type = _read(_Table(document, "", BetTypeRefused, faults), minimum_prize_percent)
        if bet_type is None:
            raise BetTypeRefused(
                "; ".join(f"{fault.place}: {fault.why}" for fault in faults),
                errors=[
                    {"code": _CODES.get(fault.kind, fault.kind)}
                    | {"field": fault.place, "detail": fault.why}
                    for fault in faults
                ],
            )
        return bet_type


def differing(bet_type: BetType, figures: BetTypeFigures) -> tuple[str, ...]:
    """Return the fields in which a bet type differs from the regulation's own one [A19].

    Its prizes go down to the cent [A14]: a larger step would take them from all who win less.
    Return nothing for another bet type: the authority authorises that one by itself.
    """
    if bet_type.code != figures.code:
        return ()
    have = {
        "legs": (bet_type.legs, figures.legs),
        "jackpot_threshold_cents": (
            bet_type.jackpot_threshold_cents,
            figures.jackpot_threshold_cents,
        ),
        "payout_step_cents": (bet_type.payout_step_cents, CENT),
        "shares_below": (_by_name(bet_type.below), dict(figures.shares_below)),
        "shares_above": (_by_name(bet_type.above), dict(figures.shares_above)),
    }
    return tuple(name for name, (value, wanted) in have.items() if value != wanted)


def _by_name(shares: Shares) -> dict[str, Fraction]:
    by_name = {str(hits): percent for hits, percent in shares.categories.items()}
    return {**by_name, RESERVE: shares.reserve}


def shipped(code: str, *, minimum_prize_percent: Fraction) -> BetType:
    """A bet type that comes with the code: `lototrot`, `five-races`, `eight-races`.

    Raises FileNotFoundError for another name, BetTypeRefused.
    """
    text = resources.files("lototrot").joinpath("bet_types", f"{code}.json").read_text("utf-8")
    return BetType.from_document(loads(text), minimum_prize_percent=minimum_prize_percent)


def _shares_document(shares: Shares) -> Json:
    document: dict[str, Json] = {
        str(category): percent_text(percent) for category, percent in shares.categories.items()
    }
    return {**document, RESERVE: percent_text(shares.reserve)}


class _Table(Table):
    """A part of the document, with the reasons that the form shows."""

    words: ClassVar[Mapping[str, str]] = {
        "object": "An object of category and percentage is needed.",
        "unknown": "A bet type has no such field.",
        "text": "A text of 1 to {most} characters is needed.",
        "whole": "An integer from {least} to {most} is needed.",
        "prize_percent_too_low": "At least {least} goes to prizes.",
        "categories_differ": "Both regimes need the same categories.",
        "categories_not_contiguous": (
            "Categories go from {legs} right downwards without a gap, to 1 at the least."
        ),
        "shares_not_100": "The shares must sum to 100.",
    }


# The codes of the faults that have another name in the kernel.
_CODES = {
    "object": "bad_shares",
    "unknown": "unknown_field",
    "text": "bad_text",
    "whole": "bad_integer",
}


def _read(table: Table, minimum_prize_percent: Fraction) -> BetType | None:
    """Return the bet type; None, the faults being noted, if it is not valid."""
    table.only(_KEYS)
    legs = table.whole("legs", MAX_LEGS, MIN_LEGS)
    percent = table.percent("prize_percent")
    if percent < minimum_prize_percent and table.sound("prize_percent"):
        least = percent_text(minimum_prize_percent)
        table.refuse("prize_percent", "prize_percent_too_low", None, least=least)
    below, above = _shares(table, "shares_below", legs), _shares(table, "shares_above", legs)
    if below and above and below.categories.keys() != above.categories.keys():
        table.refuse("shares_above", "categories_differ", None)
    code, name = _text(table, "code", MAX_CODE_CHARS), _text(table, "name", MAX_NAME_CHARS)
    version = table.whole("version", MAX_VERSION, 1)
    step = table.whole("payout_step_cents", MAX_CENTS, 1)
    threshold = table.whole("jackpot_threshold_cents", MAX_CENTS)
    if table.faults or below is None or above is None:
        return None
    return BetType(
        code=code,
        version=version,
        name=name,
        legs=legs,
        prize_percent=percent,
        payout_step_cents=step,
        jackpot_threshold_cents=threshold,
        categories=tuple(below.categories),
        below=below,
        above=above,
    )


def _text(table: Table, field: str, most: int) -> str:
    value = table.get(field)
    if isinstance(value, str) and len(value) <= most and value.strip() and value.isprintable():
        return value
    return table.refuse(field, "text", "", most=most)


def _shares(table: Table, field: str, legs: int) -> Shares | None:
    inner = table.inner(field, table.get(field) or None)
    percents = {key: inner.percent(key) for key in [*inner.unread]}
    if not table.sound(field) and not percents:
        return None
    reserve = percents.pop(RESERVE, Fraction(0))
    wanted = [str(legs - place) for place in range(len(percents))]
    if set(percents) != set(wanted) or not percents or "0" in wanted:
        return table.refuse(field, "categories_not_contiguous", None, legs=legs)
    if not table.sound(field):
        return None
    by_category = {int(key): percents[key] for key in wanted}
    if sum(by_category.values(), reserve) != 100:
        return table.refuse(field, "shares_not_100", None)
    return Shares(MappingProxyType(by_category), reserve)
