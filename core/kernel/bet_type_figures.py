"""Hold the figures of the regulation's own bet type: 14.III.7, 9.2 and 9.3 [A19]."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from core.kernel.documents import Table
from core.kernel.money import MAX_CENTS


@dataclass(frozen=True, slots=True)
class BetTypeFigures:
    """The categories, shares and threshold of the regulation's own bet type (7, 9.2, 9.3) [A19].

    Shares are exact percentages by category ("7", "6", ...) and "reserve", and sum to 100.
    """

    code: str
    legs: int
    jackpot_threshold_cents: int
    shares_below: Mapping[str, Fraction]
    shares_above: Mapping[str, Fraction]


def bet_type_figures(table: Table) -> BetTypeFigures:
    """Read the figures. Raise the table's refusal if they are malformed."""
    return BetTypeFigures(
        code=table.text("code"),
        legs=table.whole("legs", MAX_CENTS, 1),
        jackpot_threshold_cents=table.whole("jackpot_threshold_cents", MAX_CENTS),
        shares_below=_shares(table, "shares_below"),
        shares_above=_shares(table, "shares_above"),
    )


def _shares(table: Table, key: str) -> Mapping[str, Fraction]:
    def read(inner: Table) -> dict[str, Fraction]:
        return {name: inner.percent(name) for name in [*inner.unread]}

    shares = table.table(key, read)
    if sum(shares.values()) != 100:
        raise table.wrong(key, "the shares must sum to 100")
    return MappingProxyType(shares)
