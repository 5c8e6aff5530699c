"""Collect the kinds of case that `whatif` answers. Each app maps its own as `KINDS` in its
`whatif.py`.

A kind is a function that takes the `input` of a case and returns the answer in the shape of
`expected`. It raises a DomainError for an input that it does not accept. It uses neither the
database nor the clock.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from core.contributions import contributed_entries
from core.kernel.canonical import Json

Answer: TypeAlias = Callable[[object], Json]


def kinds() -> Mapping[str, Answer]:
    """Return the function that answers each kind, by its name. Raises ContributedTwice."""
    return contributed_entries("whatif", "KINDS")
