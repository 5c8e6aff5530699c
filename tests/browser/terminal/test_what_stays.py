"""A page that is drawn again leaves what did not change: a press that is under way counts, and
nothing is read out twice.
"""

from pathlib import Path
from typing import Any

import pytest

from core.screens import live
from core.staff.powers import Role
from tests.browser.test_board_tour import contest_on_sale
from tests.browser.test_desks_tour import sign_on
from tests.support import emitting, factories
from tests.support.admin_desk import Desk
from tests.support.browser import desk
from tests.support.browser.driver import PHONE, TERMINAL, Browser, Open, Size, until
from tests.support.browser.line import Line
from tests.support.browser.tour import MOVED

TABLET = Size(1024, 768, touch=True)
_NOTE = """
const [name, element] = [arguments[0], document.querySelector(arguments[1])];
window.noted = {...window.noted, [name]: element};
return Boolean(element);
"""
_STANDS = "return window.noted[arguments[0]].isConnected"
_OUTBOX = """
const done = arguments[0];
import("/static/screens/terminal/outbox.js").then(({outbox}) => {
  outbox.dispatchEvent(new Event("change"));
  done();
});
"""


def note(browser: Browser, name: str, selector: str) -> None:
    browser.find(selector)
    assert browser.run(_NOTE, name, selector)


def stands(browser: Browser, name: str) -> bool:
    return bool(browser.run(_STANDS, name))


@pytest.fixture
def published(tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path


def test_a_game_stays_under_the_finger_when_another_is_put_on_sale(
    open_browser: Open, line: Line
) -> None:
    emitting.opened(emitting.small())
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    browser.click("#tab-promotrot")
    desk.to_play(browser)
    note(browser, "card", ".game")
    note(browser, "heading", ".promotrot h1")
    emitting.opened(emitting.small("other"))
    browser.click("#tab-prizes")
    browser.click("#tab-promotrot")
    browser.find(".game:nth-child(2)")
    assert stands(browser, "card")
    assert stands(browser, "heading")


@pytest.mark.usefixtures("published")
def test_a_till_keeps_its_buttons_while_pulses_come_and_sales_are_tried_again(
    open_browser: Open, line: Line
) -> None:
    shop = desk.shop(correction_window_s=3600)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    browser.keys("F2")
    desk.sell(browser)
    desk.sold(browser)
    browser.keys("F2")
    browser.keys("F9")
    note(browser, "coupons", ".bet-bar .coupons")
    note(browser, "clock", ".last .correct b")
    left = browser.text(".last .correct b")
    desk.stop(shop.contest, race=1)
    live.publish(live.folder())
    browser.find(".closing.bad")  # the pulse was read, and all was counted again
    assert stands(browser, "coupons")
    until(lambda: browser.text(".last .correct b") != left, "the next second")
    assert stands(browser, "clock")


@pytest.mark.parametrize("size", [PHONE, TABLET, TERMINAL], ids=["phone", "tablet", "terminal"])
def test_nothing_moves_while_the_terminal_loads(open_browser: Open, line: Line, size: Size) -> None:
    shop = desk.shop()
    emitting.opened(emitting.small())
    browser = open_browser(size)
    desk.enrol(browser, line.url, shop)
    browser.find(".display")
    moved = {"display": _moved(browser, ".display .primary")}
    desk.to_sale(browser)
    moved["races"] = _moved(browser, ".runner")
    for tab, settled in (
        ("promotrot", ".game"),
        ("prizes", "#presented-code"),
        ("day", ".printer"),
    ):
        browser.click(f"#tab-{tab}")
        moved[tab] = _moved(browser, settled)
    assert {name: by for name, by in moved.items() if by >= 0.05} == {}


def _moved(browser: Browser, settled: str) -> float:
    """Open the page again, and return how much of it moved until it was whole."""
    browser.reload()
    browser.find(settled)
    browser.find("#clock:not(:empty)")
    return float(browser.run_async(MOVED))


def test_giving_up_can_be_pressed_while_a_sale_is_tried_again(
    open_browser: Open, line: Line
) -> None:
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    browser.keys("F2")
    line.cut()
    desk.sell(browser)
    browser.find("#waiting .state.bad")
    note(browser, "give up", "#waiting button")
    browser.run_async(_OUTBOX)  # as after each try
    assert stands(browser, "give up")


@pytest.mark.usefixtures("published")
def test_a_board_keeps_what_did_not_change(open_browser: Open, line: Line) -> None:
    contest = contest_on_sale()
    emitting.opened(emitting.small())
    live.prepare()
    live.publish(live.folder())
    browser = open_browser(TERMINAL)
    browser.hurry()
    browser.go(f"{line.url}/?lang=ca")
    note(browser, "game", ".promotrot article")
    note(browser, "meetings", ".lototrot a[href='/meetings']")
    browser.run("document.querySelector('.promotrot details').open = true")
    browser.run("document.querySelector('.lototrot a').focus()")
    emitting.opened(emitting.small("other"))
    factories.withdrawal(factories.races_of(contest)[0], 3)
    live.prepare()
    live.publish(live.folder())
    browser.find(".promotrot article:nth-child(2)")
    browser.find(".race:first-child .withdrawn")
    assert stands(browser, "game")
    assert stands(browser, "meetings")
    assert browser.run("return document.querySelector('.promotrot details').open")
    assert browser.run("return document.activeElement.matches('.lototrot a')")


def test_the_organisers_desk_only_counts_down_while_nothing_else_is_new(
    open_browser: Open, line: Line
) -> None:
    desk.shop()
    browser = open_browser(TERMINAL)
    browser.hurry()
    sign_on(browser, line.url, Desk(Role.ORGANISER, language="ca"))
    browser.go(f"{line.url}/admin/race-day/")
    seconds = "return document.querySelector('#desk [data-seconds-left]').dataset.secondsLeft"
    first = browser.run(seconds)
    until(lambda: browser.run(seconds) != first, "an answer")
    note(browser, "act", "#desk .desk-button")
    second = browser.run(seconds)
    until(lambda: browser.run(seconds) != second, "an answer that says the same")
    assert stands(browser, "act")
