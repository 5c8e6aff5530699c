"""Find characters that a reader does not see, or that change the direction of what they read."""

import unicodedata
from typing import Final

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls; format and direction marks; surrogates; characters of private use and of no use; ends
of lines and paragraphs.
"""


def invisible_at(text: str, *, but: str = "") -> int | None:
    """Return the place of the first such character that is not one of `but`, counted from 0."""
    places = (
        place
        for place, sign in enumerate(text)
        if unicodedata.category(sign) in _INVISIBLE and sign not in but
    )
    return next(places, None)
