"""Compare counts with a uniform expectation, for the tests of shuffles and pictures."""

from collections import Counter
from collections.abc import Hashable, Iterable

_SIGMAS = 5.0  # about three false alarms in ten million


def excess(counts: Iterable[int], cells: int) -> float:
    """Return chi-square of counts over equally likely cells, divided by its critical value.

    Below 1 the counts may be uniform; above 1 they are not.
    """
    observed = list(counts)
    expected = sum(observed) / cells
    assert expected >= 5, "too few observations for the test to mean anything"
    observed += [0] * (cells - len(observed))
    statistic = sum((count - expected) ** 2 for count in observed) / expected
    freedom = cells - 1
    spread = 2 / (9 * freedom)
    critical = freedom * (1 - spread + _SIGMAS * spread**0.5) ** 3  # Wilson and Hilferty
    return float(statistic / critical)


def excess_of(items: Iterable[Hashable], cells: int) -> float:
    """Return the same for items, each of which is a cell."""
    return excess(Counter(items).values(), cells)
