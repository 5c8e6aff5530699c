"""Every state of the terminal, looked at in every size: pictures, axe-core, nothing cut off."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from core.screens import live, texts
from tests.support import factories, rounds
from tests.support.browser import desk
from tests.support.browser.driver import TERMINAL, Browser, Open, Size
from tests.support.browser.line import Line
from tests.support.browser.tour import LOOKS, PICTURED, SHOTS, SIZES, Tour, languages
from tests.support.lototrot import told_programme

_HEAD = "return document.querySelector('.bar').offsetHeight"
# A text and a heading in the place of the notice; how much higher than its place they are, px.
_NOTICE = """
const notice = document.querySelector(".closing.bad");
notice.querySelector("b").textContent = arguments[0];
notice.querySelector(".small").textContent = arguments[1];
const words = document.createRange(), {top, bottom} = notice.getBoundingClientRect();
words.selectNodeContents(notice);
const box = words.getBoundingClientRect();
return Math.max(0, Math.round(box.bottom - bottom), Math.round(top - box.top));
"""


@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_every_state_of_lototrot(
    open_browser: Open,
    line: Line,
    size: str,
    dark: bool,
    language: str,
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.VAR_DIR = tmp_path
    shop = desk.shop(told_programme.contest(range(1, 12), window_s=120), has_given_pin=True)
    live.publish(live.folder())
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "terminal", size, dark)
    browser.at_load(desk.PRINTER)
    browser.go(f"{line.url}/terminal/?lang={language}")
    signing_on(browser, tour, shop)
    browser.find(".display .primary")
    tour.stop("poster")
    desk.withdraw(shop.contest, race=2, number=3)
    desk.to_sale(browser)
    desk.mark_all(browser, [4, 1, 3, 7, 9, 2])
    desk.mark(browser, 2, 8)
    browser.click('[data-race="6"] .quick')
    tour.stop("bet")
    head = browser.run(_HEAD)
    browser.click(".bet-bar .primary")
    browser.find("dialog.confirmation")
    tour.stop("confirmation")
    browser.click("dialog .primary")
    desk.sold(browser)
    assert not browser.shows(".button.danger")  # what is rare is not the strongest
    assert browser.shows(".last .button") and browser.shows("[aria-keyshortcuts=F6]:enabled")
    tour.stop("sold")
    browser.click(".last .correct")
    browser.find("#annul-code")
    tour.stop("annulment")
    browser.keys("Escape")
    browser.click("#tab-day")
    browser.find(".day .table")
    tour.stop("day")
    browser.click("#tab-lototrot")
    desk.mark_all(browser, [4, 1, 5, 7, 9, 2, 6])
    desk.stop(shop.contest, race=1)
    live.publish(live.folder())
    browser.find(".closing.bad")  # the pulse says it, before anybody tries to sell
    assert not browser.shows(".bet-bar .primary:enabled")
    assert browser.run(_HEAD) == head  # the races stay where they are
    tour.stop("stopped")
    _notice_fits(browser)
    assert browser.run(_HEAD) == head
    line.cut()
    browser.offline(True)
    browser.find("#cut")
    _notice_fits(browser)
    browser.complaints()  # refused requests are said in the console, and rightly so
    tour.stop("line-lost")
    tour.end()


def _notice_fits(browser: Browser) -> None:
    """The notice of a stop is not higher than its place, in whichever language."""
    for code in ("ca", "es", "en"):
        with translation.override(code):
            words: dict[str, Any] = texts.catalogue("terminal", "lototrot")
        assert (code, browser.run(_NOTICE, words["stopped"], words["stopped_why"])) == (code, 0)


def signing_on(browser: Browser, tour: Tour, shop: desk.Shop) -> None:
    """Enrol the terminal and sign its operator on, with a PIN of their own."""
    browser.find("#enrolment-code")
    tour.stop("enrolment")
    browser.type("#enrolment-code", shop.enrolment_code)
    browser.keys("Enter")
    browser.find("#operator-number")
    tour.stop("sign-on")
    desk.sign_on(browser, desk.GIVEN)
    browser.find("#new-pin-again")
    browser.complaints()  # the refused sign-on, which asks for a PIN of their own
    tour.stop("own-pin")
    desk.choose_pin(browser)


_SCROLLS = """
return [...document.querySelectorAll(".runners")].filter((e) => e.scrollHeight > e.clientHeight + 1)
  .length + (document.documentElement.scrollHeight > innerHeight ? 1 : 0);
"""
_LOW = """
return [...document.querySelectorAll(".runner, .bet-bar .button, .race .quick")]
  .filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML.slice(0, 80));
"""


def test_eighteen_horses_of_every_race_are_seen_at_once(open_browser: Open, line: Line) -> None:
    """At 1366x768 nothing scrolls, and everything that is tapped is 44 px high."""
    shop = desk.shop(factories.contest(factories.meeting(numbers=range(1, 19))))
    browser = open_browser(Size(1366, 768, touch=True))
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    assert browser.run(_SCROLLS) == 0
    assert browser.run(_LOW) == []
    assert len(browser.all("[data-cloth]")) == 7 * 18


# Where everything of the races stands, with the places of the shares.
_RACES = """
return [...document.querySelectorAll(".races, .races *, .bet-bar")]
  .filter((e) => !e.closest(".heard")).map((e) => e.getBoundingClientRect())
  .map(({x, y, width, height}) => [x, y, width, height].join(" "));
"""
# Shares by race and number, as they are read out.
_SHARES = """
return [...document.querySelectorAll(".race")].map((race) => Object.fromEntries(
  [...race.querySelectorAll(".runner")].filter((e) => e.querySelector(".of-bets").textContent)
    .map((e) => [e.dataset.number, e.querySelector(".of-bets").textContent])));
"""
# Shares that are wider than their place, or so wide that they touch the name of the horse.
_BROAD = """
const words = document.createRange();
return [...document.querySelectorAll(".of-bets")].filter((e) => e.textContent).filter((e) => {
  words.selectNode(e.lastChild);
  const {left, right} = words.getBoundingClientRect(), runner = e.closest(".runner");
  return left < runner.getBoundingClientRect().left
    || right > runner.querySelector(".horse").getBoundingClientRect().left;
}).map((e) => e.outerHTML);
"""


@pytest.mark.article("14.III.5.3")
def test_shares_of_the_bets_come_to_the_till_and_move_nothing(
    open_browser: Open, line: Line, tmp_path: Path, settings: Any
) -> None:
    """Eighteen horses in each of seven races, the figures from the file that boards read."""
    settings.VAR_DIR = tmp_path
    shop = desk.shop(told_programme.contest(range(1, 19)))
    desk.withdraw(shop.contest, race=2, number=18)
    live.publish(live.folder())
    browser = open_browser(Size(1366, 768, touch=True))
    browser.hurry()
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    assert browser.run(_SHARES) == [{}] * 7  # nobody has bet yet
    places = browser.run(_RACES)
    at = factories.point()
    heard = "Part de les apostes "
    _sell(shop, at, [[18]])
    browser.says('[data-race="2"]', "100")
    assert browser.run(_BROAD) == []  # the broadest figure
    _sell(shop, at, [*[[1]] * 170, *[[18]] * 28, [2]])
    browser.says('[data-race="0"]', "85")
    running = {"1": f"{heard}85\u202f%", "2": f"{heard}<1\u202f%"}
    everyone = running | {"18": f"{heard}15\u202f%"}
    assert browser.run(_SHARES) == [everyone, running, *[everyone] * 5]
    assert browser.run(_RACES) == places
    assert browser.run(_BROAD) == []
    assert browser.run(_SCROLLS) == 0
    browser.pass_time(seconds=60)  # no pulse for so long: what it said is not shown as of now
    browser.gone(".of-bets.most")
    assert browser.run(_SHARES) == [{}] * 7
    assert browser.run(_RACES) == places


def _sell(shop: desk.Shop, at: factories.Point, backed: list[list[int]]) -> None:
    """Sell tickets elsewhere, each with the same numbers in every race, and publish it."""
    rounds.sell(shop.contest, at, [rounds.masks([numbers] * 7) for numbers in backed])
    live.prepare()
    live.publish(live.folder())


# Where races, horses and bar stand: their upper edges, and the height of the bar.
_PLACES = """
const top = (selector) => [...document.querySelectorAll(selector)]
  .map((e) => Math.round(e.getBoundingClientRect().top));
return [...top(".race, .race header, .runners, .bet-bar, .bet-bar .button:not(.coupons)"),
  document.querySelector(".bet-bar").offsetHeight];
"""
_SAID = """
const said = document.querySelector(".sum .about");
return said.scrollHeight - said.clientHeight <= 2 && said.scrollWidth <= said.clientWidth + 1;
"""


@pytest.mark.parametrize(("size", "language"), [((1366, 768), "es"), ((1280, 800), "ca")])
def test_a_sum_that_gets_longer_moves_nothing(
    open_browser: Open, line: Line, size: tuple[int, int], language: str
) -> None:
    """From no mark to thousands of bets, with races missing and with tickets that wait."""
    shop = desk.shop(told_programme.contest(range(1, 13)))
    browser = open_browser(Size(*size, touch=True), language=language)
    desk.enrol(browser, line.url, shop, language=language)
    desk.to_sale(browser)
    places = browser.run(_PLACES)
    desk.mark(browser, 7, 1)
    browser.find(".missing")
    assert browser.run(_SAID)
    assert browser.run(_PLACES) == places
    desk.mark_all(browser, [1] * 6)
    browser.click(".bet-bar [aria-keyshortcuts=F9]")
    browser.find(".coupons")
    assert browser.run(_PLACES) == places
    for race in range(1, 8):
        for number in (2, 3, 4):
            desk.mark(browser, race, number)
    browser.says(".sum", "2.188,00")  # one bet, and three horses in each of seven races
    assert browser.run(_SAID)
    assert browser.run(_PLACES) == places


def test_nothing_on_sale(open_browser: Open, line: Line) -> None:
    shop = desk.shop()
    factories.time_to(shop.contest.scheduled_close_at)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, shop)
    browser.find(".empty")
    assert browser.run("return document.querySelector('.empty').getBoundingClientRect().top") < 200
    tour = Tour(browser, "terminal", "terminal")
    assert not browser.shows(".bet-bar")  # neither Repeat nor anything else is offered
    tour.stop("nothing-on-sale")
    browser.click("#tab-promotrot")
    browser.find(".promotrot .empty")
    empty = "return document.querySelector('.promotrot .empty').getBoundingClientRect().top"
    assert browser.run(empty) < 200
    browser.click("#tab-day")
    browser.find(".day .empty, .day .facts")
    tour.stop("empty-day")
    tour.end()


_NARROW = """
const slip = document.querySelector("#paper .receipt");
const right = slip.getBoundingClientRect().right + 1;
return [...slip.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > right)
  .map((e) => e.outerHTML.slice(0, 100));
"""
# A roll's width less the margins of its page, in CSS pixels (96 to the inch).
_ROLLS_PX = {80: 280, 58: 189}


@pytest.mark.article("14.III.4")
@pytest.mark.parametrize("language", languages("ca"))
def test_a_slip_fits_the_rolls_of_80_and_58_mm(
    open_browser: Open, line: Line, language: str
) -> None:
    """Seven races of long names, several numbers in most, and the slip of a closed shift: nothing
    reaches over the edge.
    """
    shop = desk.shop(told_programme.contest(range(1, 19)))
    browser = open_browser(TERMINAL, language=language)
    desk.enrol(browser, line.url, shop, language=language)
    desk.to_sale(browser)
    desk.mark_all(browser, [4, 11, 3, 17, 9, 12, 5])
    for number in (2, 14, 15, 16, 18):
        desk.mark(browser, 2, number)
        desk.mark(browser, 5, number)
    desk.sell(browser)
    desk.sold(browser)
    _fits_the_rolls(browser, "slip")
    browser.click("#tab-day")
    browser.type("#cash-counted", "35.50")
    browser.click(".cash-up form .button")
    desk.printed(browser, 2)
    _fits_the_rolls(browser, "slip-of-the-shift")


def _fits_the_rolls(browser: Browser, name: str) -> None:
    browser.run("document.body.classList.add('printing')")
    browser.look(dark=False, media="print")
    for mm, width in _ROLLS_PX.items():
        browser.run("document.getElementById('paper').className = arguments[0]", f"roll mm-{mm}")
        browser.resize(Size(width, 1200, 2.0))
        assert browser.run(_NARROW) == []
        if PICTURED:
            browser.screenshot(SHOTS / f"{name}-{mm}-{browser.language}.png")
    browser.look(dark=False)
    browser.resize(TERMINAL)
    browser.run("document.body.classList.remove('printing')")
