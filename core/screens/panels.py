"""What games put on the terminal: each a tab, with a module that draws it."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A tab of the terminal.

    `module` is a static path of an ES module that exports `panel(till)`; `preload` are those it
    imports; `texts` names its catalogue.
    """

    name: str
    title: str | Promise
    module: str
    styles: tuple[str, ...]
    texts: str
    preload: tuple[str, ...] = ()


_PANELS: Final[list[Panel]] = []


def register(panel: Panel) -> None:
    """Add a tab, after those registered before."""
    _PANELS.append(panel)


def panels() -> tuple[Panel, ...]:
    return tuple(_PANELS)
