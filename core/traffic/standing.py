"""Keep on a request what the limits know about it."""

from dataclasses import dataclass

from django.http import HttpRequest


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
