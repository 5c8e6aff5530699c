"""The typeface: every letter of our texts, figures of one width, small enough for a first load."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from fontTools.ttLib import TTFont

from core.screens.typeface import FIGURES, FILES

MOST_BYTES = {"screens/figures.woff": 3_500, "screens/letters.woff": 15_000}


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_its_letters_and_is_small(name: str) -> None:
    path = Path(str(finders.find(name)))
    assert path.stat().st_size <= MOST_BYTES[name]
    assert {ord(letter) for letter in FILES[name]} <= TTFont(path).getBestCmap().keys()


def test_figures_have_one_width() -> None:
    font = TTFont(str(finders.find("screens/figures.woff")))
    glyphs = font.getBestCmap()
    figures = [letter for letter in FIGURES if letter.isdigit()]
    assert len(figures) == 10
    assert len({font["hmtx"][glyphs[ord(figure)]][0] for figure in figures}) == 1


def test_the_files_are_collected_with_the_other_static_files() -> None:
    every = {path for finder in finders.get_finders() for path, _ in finder.list([])}
    assert {*FILES, "screens/base.css"} <= every
    assert finders.find("screens/no-such-file") is None
    assert len(finders.find("screens/figures.woff", find_all=True)) == 1
