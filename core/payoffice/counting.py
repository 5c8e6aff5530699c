"""Count cash by the notes and coins of the euro. A count is the pieces of each, by its cents."""

from collections.abc import Iterable, Mapping

from core.kernel.errors import Invalid

NOTES_CENTS = (500_00, 200_00, 100_00, 50_00, 20_00, 10_00, 5_00)
COINS_CENTS = (2_00, 1_00, 50, 20, 10, 5, 2, 1)
DENOMINATIONS_CENTS = (*NOTES_CENTS, *COINS_CENTS)
MOST_PIECES = 10_000

Count = dict[str, int]
"""The pieces of each note and coin that is there, by its cents as text, the largest first."""


class CountMalformed(Invalid):
    code = "count_malformed"
    message = "A count names each note or coin of the euro once, with 0 to 10,000 pieces."


class CountNotTheSum(Invalid):
    code = "count_not_the_sum"
    message = "The notes and coins do not add up to the sum that was given."


def count_of(pieces: Iterable[tuple[int, int]]) -> Count:
    """Return the count of pairs of cents and pieces, without those that are not there.

    Raises CountMalformed.
    """
    pairs = list(pieces)
    by_cents = dict(pairs)
    for cents, many in pairs:
        if cents not in DENOMINATIONS_CENTS or not 0 <= many <= MOST_PIECES:
            raise CountMalformed(denomination_cents=cents, pieces=many)
    if len(by_cents) != len(pairs):
        raise CountMalformed
    return {str(cents): by_cents[cents] for cents in DENOMINATIONS_CENTS if by_cents.get(cents)}


def count_cents(count: Mapping[str, int]) -> int:
    """Return the sum of a count, in cents."""
    return sum(int(cents) * many for cents, many in count.items())


def pieces(count: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return a count as pairs of cents and pieces, the largest first, in whatever order it was."""
    return sorted(((int(cents), many) for cents, many in count.items()), reverse=True)


def fewest(cents: int) -> Count:
    """Return the sum in as few notes and coins as possible: how a drawer is counted in a rehearsal.

    Raises CountMalformed for a negative sum and for more than the largest note holds.
    """
    pairs = []
    for denomination_cents in DENOMINATIONS_CENTS:
        many, cents = divmod(cents, denomination_cents)
        pairs.append((denomination_cents, many))
    return count_of(pairs)
