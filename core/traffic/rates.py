"""Count requests against rates, in the memory of one process.

The algorithm is GCRA, the generic cell rate algorithm: a key keeps one number, the instant until
which what it has taken is paid for. A key may take `burst` at once and `per_s` for ever.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDING_S = 1e-6


@dataclass(frozen=True, slots=True)
class Rate:
    """`per_s` units each second for ever, and `burst` units at once."""

    per_s: float
    burst: float

    def shared_by(self, processes: int) -> "Rate":
        """Return the part of one of so many processes that count for themselves."""
        return Rate(self.per_s / processes, max(1.0, self.burst / processes))


@dataclass(frozen=True, slots=True)
class Claim:
    """`units` that a request takes of the rate of a key."""

    key: str
    rate: Rate
    units: float = 1.0

    @property
    def cost_s(self) -> float:
        """Return the seconds in which the rate gives these units."""
        return self.units / self.rate.per_s

    @property
    def room_s(self) -> float:
        """Return the seconds that a key may be ahead of the clock."""
        return self.rate.burst / self.rate.per_s


@dataclass(frozen=True, slots=True)
class Refusal:
    """The key that had no room, and the seconds until it has."""

    key: str
    wait_s: float


class Memory:
    """The keys of one process. `most` bounds them: keys that are paid for are forgotten first."""

    def __init__(self, most: int = 200_000) -> None:
        self._until_s: dict[str, float] = {}
        self._most = most
        self._changing = threading.Lock()

    def take(self, claims: Sequence[Claim]) -> Refusal | None:
        """Take all claims or none. Return the refusal with the longest time to wait, or None."""
        now_s = time.monotonic()
        with self._changing:
            until_s = [max(self._until_s.get(c.key, 0.0), now_s) + c.cost_s for c in claims]
            waits_s = [
                until - now_s - claim.room_s for claim, until in zip(claims, until_s, strict=True)
            ]
            longest_s = max(waits_s)
            if longest_s > ROUNDING_S:
                return Refusal(claims[waits_s.index(longest_s)].key, longest_s)
            for claim, until in zip(claims, until_s, strict=True):
                self._until_s[claim.key] = until
            if len(self._until_s) > self._most:
                self._forget(now_s)
        return None

    def give_back(self, claims: Sequence[Claim]) -> None:
        """Undo the taking of claims."""
        with self._changing:
            for claim in claims:
                if claim.key in self._until_s:
                    self._until_s[claim.key] -= claim.cost_s

    def clear(self) -> None:
        """Forget everything."""
        with self._changing:
            self._until_s.clear()

    def _forget(self, now_s: float) -> None:
        unpaid = {key: until for key, until in self._until_s.items() if until > now_s}
        # All of them are in use: the nearest to being paid for lose least.
        newest = sorted(unpaid, key=unpaid.__getitem__)[-self._most // 2 :]
        self._until_s = {key: unpaid[key] for key in newest}
