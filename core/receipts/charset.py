"""Prepare texts for paper: remove control characters, replace what a font cannot show."""

import re
import unicodedata
from typing import Final

# Characters that a printer's code page may lack: quotes, dashes, bullet, ellipsis, signs, euro.
_NEAR: Final = {
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u201c\u201d\u201e", '"'),
    **dict.fromkeys("\u2013\u2014\u2212", "-"),
    "\u201a": ",",
    "\u2022": "*",
    "\u2026": "...",
    "\u2192": "->",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u20ac": "EUR",
}
_WITH_MARK: Final = re.compile(r"LATIN (CAPITAL|SMALL) LETTER ([A-Z]) WITH ")


def clean(text: str) -> str:
    """Return `text` composed (NFC), without format characters, control characters as spaces.

    Newlines stay. Otherwise a name that somebody typed could send commands to a printer or turn the
    reading direction.
    """
    composed = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    visible = (c for c in composed if unicodedata.category(c) != "Cf")
    return "".join(" " if unicodedata.category(c)[0] in "CZ" and c != "\n" else c for c in visible)


def encodable(text: str, encoding: str) -> str:
    """Return `clean(text)` in characters that `encoding` has: the nearest ones, or else "?"."""
    cleaned = clean(text)
    try:
        cleaned.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_nearest(character, encoding) for character in cleaned)
    return cleaned


def _nearest(character: str, encoding: str) -> str:
    named = _WITH_MARK.match(unicodedata.name(character, ""))
    base = (named[2] if named[1] == "CAPITAL" else named[2].lower()) if named else ""
    decomposed = unicodedata.normalize("NFKD", character)
    for candidate in (character, _NEAR.get(character, ""), base, decomposed):
        try:
            if candidate and candidate.encode(encoding):
                return candidate
        except UnicodeEncodeError:
            continue
    return "?"
