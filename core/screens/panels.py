"""What games put on the screens: a tab of the terminal, a section of the board.

Each is a module that draws it.
"""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A tab of the terminal, or a section of the board.

    `module` is a static path of an ES module that exports `panel(till)`, or `section()`; `preload`
    are those it imports; `texts` names its catalogue. A section is named as its feed (`live.py`).
    """

    name: str
    title: str | Promise
    module: str
    styles: tuple[str, ...]
    texts: str
    preload: tuple[str, ...] = ()


_PANELS: Final[list[Panel]] = []
_BOARD: Final[list[Panel]] = []
_HOLDER: Final[list[Panel]] = []


def register(panel: Panel) -> None:
    """Add a tab, after those registered before."""
    _PANELS.append(panel)


def panels() -> tuple[Panel, ...]:
    return tuple(_PANELS)


def register_board(panel: Panel) -> None:
    """Add a section to the board, after those registered before."""
    _BOARD.append(panel)


def board_panels() -> tuple[Panel, ...]:
    return tuple(_BOARD)


def register_holder(panel: Panel) -> None:
    """Say how a game shows a ticket or voucher to whoever holds it: `details(document)`.

    A module that also exports `proof(code)` offers the proof that the document was sealed.
    """
    _HOLDER.append(panel)


def holder_panels() -> tuple[Panel, ...]:
    return tuple(_HOLDER)
