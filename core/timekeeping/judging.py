"""Judge the server's clock by its references. Pure.

The references are of three kinds: the clocks of the other machines, the receivers of the public
log, and a time server. The clock is not to be trusted if it differs from two kinds by more than two
seconds, or if it is behind the newest act on record.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LIMIT_US = 2_000_000
NEEDED = 2
BEHIND, REFERENCES = "behind_record", "references"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The server's clock less one reference, in microseconds, and how far that can be wrong."""

    kind: str
    name: str
    ahead_us: int
    uncertainty_us: int
    own_machine: bool = False

    @property
    def certain_us(self) -> int:
        """Return the part of the difference that the uncertainty does not explain."""
        certain = max(0, abs(self.ahead_us) - self.uncertainty_us)
        return certain if self.ahead_us > 0 else -certain


@dataclass(frozen=True, slots=True)
class Verdict:
    """`cause` is empty if the clock can be trusted. `ahead_us` is the middle of the differences of
    the kinds that differ, or 0. `kinds` are the kinds that said anything.
    """

    cause: str
    ahead_us: int
    kinds: frozenset[str]


def judge(comparisons: Iterable[Comparison], *, behind: bool, standing: str = "") -> Verdict:
    """Judge the clock. `behind` says that it is behind the newest act; `standing` is the cause of
    the incident that has not ended, if one has not.

    An incident found by references ends only if a reference says that the clock is right: when all
    of them fall silent, nobody knows.
    """
    by_kind = _by_kind(comparisons)
    differing = [ahead for ahead in by_kind.values() if abs(ahead) > LIMIT_US]
    agreeing = len(by_kind) - len(differing)
    if behind:
        cause = BEHIND
    elif len(differing) >= NEEDED or (standing == REFERENCES and not agreeing):
        cause = REFERENCES
    else:
        cause = ""
    return Verdict(cause, _middle(differing), frozenset(by_kind))


def _by_kind(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """Return the middle difference of each kind that says something.

    The database's own machine counts only where no other machine does, and where it differs: its
    clock is the one that is judged, so that it agrees says nothing.
    """
    of_kind: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        of_kind.setdefault(comparison.kind, []).append(comparison)
    middles: dict[str, int] = {}
    for kind, group in of_kind.items():
        others = [c.certain_us for c in group if not c.own_machine]
        middle = _middle(others or [c.certain_us for c in group])
        if others or abs(middle) > LIMIT_US:
            middles[kind] = middle
    return middles


def _middle(values: Sequence[int]) -> int:
    """Return the middle value; of two, the one nearer to zero; 0 of none."""
    ordered = sorted(values)
    if not ordered:
        return 0
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low if abs(low) <= abs(high) else high
