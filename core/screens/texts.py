"""The texts of the screens' JavaScript: gettext messages, handed to a page as JSON.

A script says `t("sell")`; what that is in each language is said here in Python, where the
extractor of catalogues sees it:

    {"sell": _("Sell"), "bets": ngettext_noop("{n} bet", "{n} bets")}

Placeholders are `{name}`; a plural is chosen by `{n}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import ngettext

from core.contributions import contributions, without_repetition


@dataclass(frozen=True, slots=True)
class Plural:
    """A text for one and a text for any other number."""

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
    """The catalogues there are."""
    return tuple(sorted(catalogues()))


def keys(name: str) -> frozenset[str]:
    """What a catalogue defines."""
    return frozenset(catalogues()[name])


def catalogue(*wanted: str) -> dict[str, str | list[str]]:
    """The texts of these catalogues in the language in force; a plural is a pair of texts.

    Raises KeyError for a catalogue that does not exist, ValueError for a key defined otherwise
    by two of them.
    """
    merged: dict[str, str | list[str]] = {}
    for name in wanted:
        for key, text in catalogues()[name].items():
            said = _said(text)
            if merged.setdefault(key, said) != said:
                raise ValueError(f"{key!r} of {name!r} is said otherwise by another catalogue")
    return merged


def _said(text: Text) -> str | list[str]:
    if isinstance(text, Plural):
        return [ngettext(text.one, text.many, n) for n in (1, 2)]
    return str(text)
