"""Every game of Promotrot at the terminal, from the choice to the result, looked at."""

import pytest

from tests.support import emitting
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open
from tests.support.browser.line import Line
from tests.support.browser.tour import LOOKS, SIZES, Tour

GAMES = ("letter-by-letter", "lap-of-honour", "trotters-ladder", "six-at-the-post", "five-stalls")

# What stands behind an open door and reaches over its frame, an eighteenth of it at each side.
_OVER_THE_FRAME = """
return [...document.querySelectorAll(".door.open .inside")].filter((e) => {
  const words = document.createRange(), door = e.parentElement.getBoundingClientRect();
  words.selectNodeContents(e);
  const {left, right} = words.getBoundingClientRect();
  return left < door.left + door.width / 18 || right > door.right - door.width / 18;
}).map((e) => e.textContent);
"""

# The heights of the rungs, and where the horse stands. Rules of another game's panel reached it.
_LADDER = """
const rungs = [...document.querySelectorAll(".rung")];
return [new Set(rungs.map((e) => Math.round(e.getBoundingClientRect().height))).size,
  rungs.every((e) => [...e.children].every((child, index, all) => !index
    || all[index - 1].getBoundingClientRect().right <= child.getBoundingClientRect().left + 1))];
"""


@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_every_game(open_browser: Open, line: Line, size: str, dark: bool, language: str) -> None:
    for name in GAMES:
        emitting.opened(emitting.document(name))
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "promotrot", size, dark)
    desk.enrol(browser, line.url, desk.shop(), language=language)
    browser.click("#tab-promotrot")
    browser.find(".games")
    tour.stop("games")
    for number, name in enumerate(GAMES, start=1):
        desk.to_play(browser, f".game:nth-child({number})")
        browser.click(f".game:nth-child({number}) .buy")
        browser.find("dialog")
        if number == 1:
            tour.stop("confirmation")
        browser.click("dialog .primary")
        browser.find(".stage")
        begin(browser)
        tour.stop(f"{name}-begun")
        if browser.shows(".ladder"):
            assert browser.run(_LADDER) == [1, True]
        end(browser)
        assert browser.run(_OVER_THE_FRAME) == []
        tour.stop(f"{name}-ended")
        browser.click(".stage footer .primary")
        browser.find(".games")
    tour.end()


def begin(browser: Browser) -> None:
    """The player's first touch, and its answer."""
    browser.click(".paper button:enabled")
    browser.gone(".cell.asked")


def end(browser: Browser) -> None:
    """Uncover what is left, or go on until the play is over; the vouchers are printed."""
    while not browser.shows(".stage footer .primary:enabled"):
        browser.tap(".stage footer .button:not(.primary)") or browser.tap(".paper button:enabled")
