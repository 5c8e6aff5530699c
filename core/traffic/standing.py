"""Keep on a request what the limits know about it, and in a process which credentials were good."""

import time
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest

_KNOWN_FOR_S: Final = 900
_KNOWN_MOST: Final = 50_000


@dataclass(slots=True)
class Standing:
    """The standing of a request with the limits.

    `is_known`: its credentials were good in this process a moment ago. `is_proven`: they are good
    now. `has_place`: it holds one of the few places of strangers.
    """

    is_known: bool = False
    is_proven: bool = False
    has_place: bool = False


def standing_of(request: HttpRequest) -> Standing:
    """Return the standing of a request, which begins as a stranger's."""
    standing: Standing = request.__dict__.setdefault("standing", Standing())
    return standing


class GoodCredentials:
    """Credentials that were good in this process within a quarter of an hour.

    Only a hash of each is kept, whose key is this process's own. It decides about limits, never
    about rights.
    """

    def __init__(self) -> None:
        self._until_s: dict[int, float] = {}

    def __contains__(self, presented: str) -> bool:
        return self._until_s.get(hash(presented), 0.0) > time.monotonic()

    def add(self, presented: str) -> None:
        """Remember good credentials, from now on."""
        if len(self._until_s) >= _KNOWN_MOST:
            self._until_s = {}
        self._until_s[hash(presented)] = time.monotonic() + _KNOWN_FOR_S

    def clear(self) -> None:
        """Forget all. For tests."""
        self._until_s = {}


good_credentials = GoodCredentials()
"""Those of this process."""
