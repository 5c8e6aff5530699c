"""Find characters that a reader does not see, or that change the direction of what they read."""

import unicodedata
from typing import Final

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls; format and direction marks; surrogates; characters of private use and of no use; ends
of lines and paragraphs.
"""
_BLANK: Final = frozenset(
    chr(code)
    for first, last in (
        *((0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800)),
        *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF)),
    )
    for code in range(first, last + 1)
)
"""Letters, marks and signs that show nothing: fillers, joiners, selectors of variants, and a blank
pattern of Braille. Unicode has them in categories of what is seen.
"""


def invisible_at(text: str, *, but: str = "") -> int | None:
    """Return the place of the first such character that is not one of `but`, counted from 0."""
    places = (
        place
        for place, sign in enumerate(text)
        if (unicodedata.category(sign) in _INVISIBLE or sign in _BLANK) and sign not in but
    )
    return next(places, None)


def one_line(text: str) -> str:
    """Return the same text for all who type the same: its words one space apart, and each letter
    with its accent as one character.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())
