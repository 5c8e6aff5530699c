"""Presented tickets at the terminal, in every state that a player may meet, looked at."""

import pytest

from tests.support import paying
from tests.support.browser import desk
from tests.support.browser.driver import Open
from tests.support.browser.line import Line
from tests.support.browser.tour import LOOKS, SIZES, Tour


@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_prizes(open_browser: Open, line: Line, size: str, dark: bool, language: str) -> None:
    won, large, nothing = paying.worth(8_550, 45_000, 0)
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "prizes", size, dark)
    desk.enrol(browser, line.url, desk.shop(), language=language)
    browser.click("#tab-prizes")
    browser.find(".shown .empty")
    tour.stop("empty")
    desk.scan(browser, nothing.code)
    browser.find(".state.info")
    tour.stop("nothing")
    desk.scan(browser, large.code)
    browser.find(".state.warn")
    tour.stop("not-here")
    desk.scan(browser, won.code)
    browser.find(".state.good")
    tour.stop("won")
    browser.click(".acts .primary")
    desk.sold(browser)
    tour.stop("paid")
    browser.window(f"{line.url}/terminal/player/?lang={language}")
    browser.other_window()
    browser.resize(SIZES[size])
    browser.look(dark=dark)
    browser.find("#shown .state")
    tour.stop("for-the-player")
    tour.end()
