"""Define what a game adds to the screens: a tab of the terminal, a section of the board.

A JavaScript module draws each of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from core.contributions import contributions
from core.screens.texts import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A tab of the terminal, a section of the board, or a view for holders.

    `module` is a static path of an ES module that exports `panel(till)`, `section()` or
    `details(document)`; `preload` are the modules that it imports; `texts` names its catalogue. A
    section has the name of its feed (`live.py`).
    """

    name: str
    title: str | Promise
    module: str
    styles: tuple[str, ...]
    texts: str
    preload: tuple[str, ...] = ()


Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Feed:
    """An app's data for boards: each pulse has `pulse`; `document` is published when it changes.

    `prepare` computes what takes long. Until it has finished, the document lacks those results.
    """

    name: str
    pulse: Callable[[], Document]
    document: Callable[[], Document]
    prepare: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Screens:
    """An app's contribution to the screens: a tab, a section, a view for holders, a feed and texts.

    `holder` names the module whose `details(document)` shows a ticket or voucher to its holder. If
    the module also exports `proof`, the path of proofs in the API, it offers the proof that the
    document was sealed. In the section `coupon` players prepare a bet that a till scans. `player`
    is a part of the player's screen: its module also draws what the tab sends there, by
    `drawn(content)`. `texts` are catalogues by name (`texts.py`).
    """

    terminal: Panel | None = None
    board: Panel | None = None
    holder: Panel | None = None
    coupon: Panel | None = None
    player: Panel | None = None
    feed: Feed | None = None
    texts: Mapping[str, Mapping[str, Text]] = field(default_factory=dict)


def parts() -> tuple[Screens, ...]:
    """Return the contribution of each app, in app order."""
    return contributions("screens", "SCREENS")


def panels() -> tuple[Panel, ...]:
    """Return the tabs of the terminal."""
    return tuple(part.terminal for part in parts() if part.terminal)


def board_panels() -> tuple[Panel, ...]:
    """Return the sections of the board."""
    return tuple(part.board for part in parts() if part.board)


def holder_panels() -> tuple[Panel, ...]:
    """Return the views of documents for the people who hold them."""
    return tuple(part.holder for part in parts() if part.holder)


def coupon_panels() -> tuple[Panel, ...]:
    """Return the sections in which players prepare coupons."""
    return tuple(part.coupon for part in parts() if part.coupon)


def player_panels() -> tuple[Panel, ...]:
    """Return the parts of the player's screen."""
    return tuple(part.player for part in parts() if part.player)


def feeds() -> tuple[Feed, ...]:
    """Return the feeds of the boards."""
    return tuple(part.feed for part in parts() if part.feed)
