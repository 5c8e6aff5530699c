"""Give the texts of the screens' JavaScript: gettext messages, handed to a page as JSON.

A script calls `t("sell")`. Its texts stand in Python, where the extractor of catalogues finds them:

    {"sell": _("Sell"), "bets": ngettext_noop("{n} bet", "{n} bets")}

Placeholders are `{name}`; `{n}` selects the plural.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import ngettext

from core.contributions import contributions, without_repetition


@dataclass(frozen=True, slots=True)
class Plural:
    """A text for one, and a text for any other number."""

    one: str
    many: str


Text = str | Promise | Plural


def ngettext_noop(one: str, many: str) -> Plural:
    """Mark a plural for translation."""
    return Plural(one, many)


def catalogues() -> dict[str, Mapping[str, Text]]:
    """Return the catalogues of all apps by name. Raises ContributedTwice."""
    parts = contributions("screens", "SCREENS")
    return without_repetition(
        (entry for part in parts for entry in part.texts.items()), "screens", "SCREENS"
    )


def names() -> tuple[str, ...]:
    """Return the names of the catalogues, sorted."""
    return tuple(sorted(catalogues()))


def keys(name: str) -> frozenset[str]:
    """Return the keys that a catalogue defines."""
    return frozenset(catalogues()[name])


def catalogue(*selected: str) -> dict[str, str | list[str]]:
    """Return the texts of these catalogues in the active language; a plural is a pair of texts.

    Raises KeyError for a catalogue that does not exist, ValueError if two of them define a key with
    different texts.
    """
    merged: dict[str, str | list[str]] = {}
    for name in selected:
        for key, text in catalogues()[name].items():
            translated = _translated(text)
            if merged.setdefault(key, translated) != translated:
                raise ValueError(f"another catalogue has another text for {key!r} of {name!r}")
    return merged


def _translated(text: Text) -> str | list[str]:
    if isinstance(text, Plural):
        return [ngettext(text.one, text.many, n) for n in (1, 2)]
    return str(text)
