"""Give the screens Lototrot's panels: their modules exist and their texts are complete."""

import posixpath
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.utils.translation import override

from core.screens import texts
from core.screens.board import Board
from core.screens.check import Check
from core.screens.panels import Panel
from core.screens.terminal import Terminal
from core.screens.views import Screen
from lototrot.screens import SCREENS

PANELS = {
    name: panel
    for name, panel in (
        ("terminal", SCREENS.terminal),
        ("board", SCREENS.board),
        ("holder", SCREENS.holder),
    )
    if panel is not None
}


def source(panel: Panel) -> str:
    """Return the text of the panel's own modules: it and those that it preloads."""
    paths = [finders.find(name) for name in (panel.module, *panel.preload)]
    return "".join(Path(path).read_text("utf-8") for path in paths if isinstance(path, str))


def test_all_three_panels_are_there() -> None:
    assert list(PANELS) == ["terminal", "board", "holder"]


def imported(module: str) -> set[str]:
    """Return the game's modules that a module imports, and those that they import."""
    path = finders.find(module)
    assert isinstance(path, str)
    names = re.findall(r'^import .* from "(.+)";$', Path(path).read_text("utf-8"), re.MULTILINE)
    modules = {
        posixpath.normpath(posixpath.join(posixpath.dirname(module), name)) for name in names
    }
    own = {name for name in modules if name.startswith("lototrot/")}
    return own.union(*map(imported, own))


@pytest.mark.parametrize("name", ["terminal", "board", "coupon"])
def test_every_module_that_a_panel_imports_is_preloaded(name: str) -> None:
    panel = getattr(SCREENS, name)
    assert set(panel.preload) == imported(panel.module)


@pytest.mark.parametrize(
    ("name", "page"),
    [("terminal", Terminal), ("board", Board), ("holder", Check)],
)
def test_texts_that_the_scripts_ask_for_are_handed_to_their_page(
    name: str, page: type[Screen]
) -> None:
    handed = set(texts.catalogue("base", *page().catalogues()))
    asked = set(re.findall(r"\bt\(\s*\"(\w+)\"", source(PANELS[name])))
    assert asked
    assert asked - handed == set()


@pytest.mark.parametrize("catalogue", SCREENS.texts)
@pytest.mark.parametrize("language", ["ca", "es"])
def test_every_text_is_translated(catalogue: str, language: str) -> None:
    """Names of the game are the same in every language; sentences are not."""
    with override("en"):
        english = texts.catalogue(catalogue)
    with override(language):
        translated = texts.catalogue(catalogue)
    sentences = {key for key, text in english.items() if isinstance(text, str) and " " in text}
    assert len(sentences) > 4
    assert [key for key in sentences if translated[key] == english[key]] == []


def test_the_feed_has_the_name_of_its_section() -> None:
    assert SCREENS.feed is not None and SCREENS.board is not None
    assert SCREENS.feed.name == SCREENS.board.name
