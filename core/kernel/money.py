"""Compute with money. Money is an `int` of whole cents; exact amounts are `Fraction`.

Every division names its rounding. Every split names the part that takes the remainder. How an
amount is shown to people is decided elsewhere.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor

from core.kernel.errors import Invalid

MAX_CENTS = 10**15
"""Largest amount taken from outside: far above any pool, far below a 64-bit column's limit."""

MAX_ACT_CENTS = 10**12
"""Largest amount that a person moves or sets by one act. Sums of rows are of 64 bits, and a row is
never taken back: a larger one could break each page and each night that sums it."""

_DECIMAL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?", re.ASCII)
_PERCENT_SCALE = 10**6


class BadPercent(Invalid):
    """The percentage is not an exact decimal between 0 and 100."""

    code = "bad_percent"
    message = "A percentage is a decimal between 0 and 100 with at most six decimals."


def ceil_div(amount: int, divisor: int) -> int:
    """Return the quotient, rounded up to a whole number."""
    return -(-amount // divisor)


def floor_to_step(exact: Fraction, step_cents: int) -> int:
    """Return the largest multiple of `step_cents` that is not above the exact amount of cents."""
    return floor(exact) // step_cents * step_cents


def percent_down(amount_cents: int, percent: Fraction) -> int:
    """Return `percent` of an amount, rounded down to the cent."""
    return floor(Fraction(amount_cents * percent, 100))


def percent_up(amount_cents: int, percent: Fraction) -> int:
    """Return `percent` of an amount, rounded up to the cent."""
    return ceil(Fraction(amount_cents * percent, 100))


def split(
    amount_cents: int, weights: Mapping[str, Fraction | int], *, remainder_to: str
) -> dict[str, int]:
    """Split an amount by weights and round each part down to the cent.

    `remainder_to` names the part that takes the cents left over, so the parts always sum to the
    amount. Raises ValueError if the amount or a weight is negative, if no weight is positive, or if
    `remainder_to` is not one of the parts.
    """
    total = sum(weights.values(), Fraction(0))
    if amount_cents < 0 or total <= 0 or min(weights.values()) < 0:
        raise ValueError("a split needs an amount and weights that are not negative, and a weight")
    if remainder_to not in weights:
        raise ValueError(f"no part is called {remainder_to!r}")
    parts = {
        name: floor(Fraction(amount_cents * weight, total)) for name, weight in weights.items()
    }
    parts[remainder_to] += amount_cents - sum(parts.values())
    return parts


def parse_percent(value: object) -> Fraction:
    """Read a percentage (`"62.5"`, `"65"` or `65`) exactly. Raises BadPercent."""
    if type(value) is int or (isinstance(value, str) and _DECIMAL.fullmatch(value)):
        percent = Fraction(value)
        if 0 <= percent <= 100:
            return percent
    raise BadPercent


def percent_text(percent: Fraction) -> str:
    """Return the shortest decimal text of a percentage. `parse_percent` reads it back.

    Raises BadPercent if it has more decimals than `parse_percent` accepts.
    """
    scaled = percent * _PERCENT_SCALE
    if scaled.denominator != 1 or not 0 <= percent <= 100:
        raise BadPercent
    whole, decimals = divmod(scaled.numerator, _PERCENT_SCALE)
    return f"{whole}.{decimals:06d}".rstrip("0").rstrip(".")


def exact_json(exact: Fraction) -> int | str:
    """Return an exact amount for JSON: an int if it is whole, else the text `"n/d"`."""
    return exact.numerator if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"
