"""Read a bet type: the number of legs, the categories, and the division of the prize money.

Lototrot's bet type (14.III.7, 9.2, 9.3) is a document in `lototrot/bet_types/`. Another number of
legs or other categories need another document and no other code.

The reader is not `core.kernel.documents.Table`, which stops at the first fault: a form shows all
faults of a bet type at once, each with a code and the name of its field. A gathering `Table` would
need a substitute for every value that it could not read.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from importlib import resources
from types import MappingProxyType
from typing import Any

from core.kernel.bet_type_figures import BetTypeFigures
from core.kernel.canonical import Json
from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS, BadPercent, parse_percent, percent_text

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
    """Which division applies, named after its article."""

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
        return _Reader(document).read(minimum_prize_percent)


def differing(bet_type: BetType, figures: BetTypeFigures) -> tuple[str, ...]:
    """Return the fields in which a bet type differs from the regulation's own one [A19].

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
        "shares_below": (_by_name(bet_type.below), dict(figures.shares_below)),
        "shares_above": (_by_name(bet_type.above), dict(figures.shares_above)),
    }
    return tuple(name for name, (given, wanted) in have.items() if given != wanted)


def _by_name(shares: Shares) -> dict[str, Fraction]:
    by_name = {str(hits): percent for hits, percent in shares.categories.items()}
    return {**by_name, RESERVE: shares.reserve}


def shipped(code: str, *, minimum_prize_percent: Fraction) -> BetType:
    """A bet type that comes with the code: `lototrot`, `five-races`, `eight-races`.

    Raises FileNotFoundError for another name, BetTypeRefused.
    """
    text = resources.files("lototrot").joinpath("bet_types", f"{code}.json").read_text("utf-8")
    return BetType.from_document(json.loads(text), minimum_prize_percent=minimum_prize_percent)


def _shares_document(shares: Shares) -> Json:
    document: dict[str, Json] = {
        str(category): percent_text(percent) for category, percent in shares.categories.items()
    }
    return {**document, RESERVE: percent_text(shares.reserve)}


class _Reader:
    """Read one document and gather its faults as {code, field, detail}."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.errors: list[dict[str, str]] = []

    def read(self, minimum_prize_percent: Fraction) -> BetType:
        for key in self.document:
            if key not in _KEYS:
                self.fault("unknown_field", str(key), "A bet type has no such field.")
        legs = self.integer("legs", MIN_LEGS, MAX_LEGS)
        percent = self.percent("prize_percent", self.document.get("prize_percent"))
        if percent is not None and percent < minimum_prize_percent:
            least = percent_text(minimum_prize_percent)
            self.fault(
                "prize_percent_too_low", "prize_percent", f"At least {least} goes to prizes."
            )
        below, above = self.shares("shares_below", legs), self.shares("shares_above", legs)
        if below and above and below.categories.keys() != above.categories.keys():
            self.fault(
                "categories_differ", "shares_above", "Both regimes need the same categories."
            )
        code, name = self.text("code", MAX_CODE_CHARS), self.text("name", MAX_NAME_CHARS)
        version = self.integer("version", 1, MAX_VERSION)
        step = self.integer("payout_step_cents", 1, MAX_CENTS)
        threshold = self.integer("jackpot_threshold_cents", 0, MAX_CENTS)
        if self.errors or percent is None or below is None or above is None:
            detail = "; ".join(f"{e['field']}: {e['detail']}" for e in self.errors)
            raise BetTypeRefused(detail, errors=self.errors)
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

    def fault(self, code: str, field: str, detail: str) -> None:
        self.errors.append({"code": code, "field": field, "detail": detail})

    def integer(self, field: str, least: int, most: int) -> int:
        value = self.document.get(field)
        if type(value) is not int or not least <= value <= most:
            self.fault("bad_integer", field, f"An integer from {least} to {most} is needed.")
            return 0
        return value

    def text(self, field: str, most: int) -> str:
        value = self.document.get(field)
        fits = isinstance(value, str) and len(value.strip()) > 0 and len(value) <= most
        if not isinstance(value, str) or not fits or not value.isprintable():
            self.fault("bad_text", field, f"A text of 1 to {most} characters is needed.")
            return ""
        return value

    def percent(self, field: str, value: object) -> Fraction | None:
        try:
            return parse_percent(value)
        except BadPercent as error:
            self.fault(error.code, field, error.detail)
            return None

    def shares(self, field: str, legs: int) -> Shares | None:
        table = self.document.get(field)
        if not isinstance(table, Mapping) or not table:
            self.fault("bad_shares", field, "An object of category and percentage is needed.")
            return None
        percents = {str(key): self.percent(f"{field}.{key}", table[key]) for key in table}
        reserve = percents.pop(RESERVE, Fraction(0))
        wanted = [str(legs - place) for place in range(len(percents))]
        if set(percents) != set(wanted) or not percents or "0" in wanted:
            self.fault(
                "categories_not_contiguous",
                field,
                f"Categories go from {legs} right downwards without a gap, to 1 at the least.",
            )
            return None
        exact = {int(key): percents[key] for key in wanted}
        by_category = {category: value for category, value in exact.items() if value is not None}
        if reserve is None or len(by_category) != len(exact):
            return None
        if sum(by_category.values(), reserve) != 100:
            self.fault("shares_not_100", field, "The shares must sum to 100.")
            return None
        return Shares(MappingProxyType(by_category), reserve)
