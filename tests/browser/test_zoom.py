"""Work the screens at 200 % zoom and at 320 px.

At 200 % a window has half the width and height in CSS pixels (WCAG 1.4.4).
Nothing scrolls sideways, no control is outside the page or covered where the focus brings it, and
no text is cut.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.screens import live
from core.staff.powers import Role
from tests.browser.test_board_tour import contest_on_sale
from tests.browser.test_desks_tour import sign_on
from tests.support import emitting, paying
from tests.support.admin_desk import Desk, race_day
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, Size
from tests.support.browser.line import Line
from tests.support.browser.tour import BURST, CUT, PICTURED, SHOTS
from tests.support.lototrot import told_programme

# 1366x768 and 1280x720 at 200 %.
ZOOMED = (Size(683, 384, 2.0), Size(640, 360, 2.0))
# 1280x1024 at 400 %, and the width of a small phone.
NARROW = (Size(320, 640),)
TABLET = (Size(1024, 768),)
# Lists of many alike, of which the first ones tell how the others lie.
_MOST = 60
# Two frames later what watches the size of a page, such as a box that scrolls, has followed it.
# How much of the window the bar takes, which stays.
_PART_OF_BAR = "return document.querySelector('.bar').offsetHeight / innerHeight"
_DRAWN = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
_UNWORKABLE = """
const most = arguments[0], found = [], page = document.documentElement;
const says = (what, e) => found.push(`${what}: ${e.outerHTML.slice(0, 140)}`);
if (page.scrollWidth > page.clientWidth + 1) found.push(`scrolls sideways: ${page.scrollWidth}`);
const modal = document.querySelector("dialog[open]");
const inside = (e) => !modal || modal.contains(e);
const shown = [...document.querySelectorAll("body *")].filter((e) => inside(e)
  && e.checkVisibility({opacityProperty: true, visibilityProperty: true})
  && !e.closest(".heard, .skip, #paper, [inert], svg, option"));
const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX)
  || scrolls(e.parentElement));
for (const e of shown) {
  const style = getComputedStyle(e);
  const clips = /hidden|clip/.test(style.overflowX) && e.innerText?.trim();
  if (clips && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1) says("text cut", e);
  if (clips && e.clientHeight > 1 && e.scrollHeight > e.clientHeight + 3) says("text cut below", e);
}
const controls = shown.filter((e) => e.matches("a[href], button, input, select, textarea, summary")
  && !e.disabled && e.getClientRects().length);
for (const e of controls.slice(0, most)) {
  e.focus();
  const target = e.matches("input") && e.labels?.length && e.clientWidth < 2 ? e.labels[0] : e;
  const box = target.getBoundingClientRect();
  if ((box.left < -1 || box.right > innerWidth + 1) && !scrolls(target.parentElement))
    says("outside", e);
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2];
  const at = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), y);
  const own = at && (target.contains(at) || at.contains(target) && at !== page
    && !getComputedStyle(at).position.match(/sticky|fixed/)
    || [...(e.labels ?? [])].some((label) => label.contains(at)));
  if (!own) says(`covered by ${at?.outerHTML.slice(0, 60) ?? "the edge"}`, e);
}
return found;
"""


def workable(browser: Browser, name: str, sizes: Sequence[Size] = ZOOMED) -> list[str]:
    """Return what keeps a person from working the page as it is, at each of the sizes."""
    wrong = []
    for size in sizes:
        browser.resize(size)
        browser.run_async(_DRAWN)
        problems = [*browser.run(BURST), *browser.run(_UNWORKABLE, _MOST)]
        if problems or PICTURED:
            browser.screenshot(SHOTS / f"zoom-{name}-{size.width}.png")
        wrong += [f"{name} at {size.width}x{size.height}, {each}" for each in problems[:6]]
    return wrong


@pytest.fixture
def published(tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path


@pytest.mark.usefixtures("published")
def test_board_and_check(open_browser: Open, line: Line) -> None:
    contest_on_sale()
    for game in (
        "five-stalls",
        "trotters-ladder",
        "six-at-the-post",
    ):  # with the widest prize tables
        emitting.opened(emitting.document(game))
    live.publish(live.folder())
    browser = open_browser(ZOOMED[0], language="es")
    browser.go(f"{line.url}/?lang=es")
    browser.find(".race .runner")
    wrong = workable(browser, "board", (*ZOOMED, *TABLET, *NARROW))
    browser.go(f"{line.url}/coupon?lang=es")
    browser.find(".runner")
    wrong += workable(browser, "coupon", (*ZOOMED, *TABLET, *NARROW))
    browser.go(f"{line.url}/check?lang=ca")
    browser.find("#code")
    wrong += workable(browser, "check")
    (ticket,) = paying.worth(532_31)
    browser.type("#code", ticket.code)
    browser.keys("Enter")
    browser.find("#answer .state")
    wrong += workable(browser, "check-answer", (*ZOOMED, *TABLET, *NARROW))
    assert not wrong, "\n".join(wrong)


@pytest.mark.usefixtures("published")
def test_terminal(open_browser: Open, line: Line) -> None:
    shop = desk.shop(told_programme.contest(range(1, 15)))
    emitting.opened(emitting.small())
    browser = open_browser(ZOOMED[0], language="es")
    desk.enrol(browser, line.url, shop, language="es")
    wrong = workable(browser, "display")
    desk.to_sale(browser)
    desk.mark_all(browser, [4, 1, 3, 7, 9, 2, 5])
    wrong += workable(browser, "bet")
    browser.click(".bet-bar .primary")
    browser.find("dialog.confirmation")
    wrong += workable(browser, "confirmation")
    browser.click("dialog .primary")
    desk.sold(browser)
    wrong += workable(browser, "sold")
    for tab in ("promotrot", "prizes", "day"):
        browser.run("document.getElementById(arguments[0]).click()", f"tab-{tab}")
        browser.find({"promotrot": ".game", "prizes": "#presented-code", "day": ".day .table"}[tab])
        wrong += workable(browser, tab)
    assert not wrong, "\n".join(wrong)


def test_a_terminal_of_the_width_of_a_phone(open_browser: Open, line: Line) -> None:
    """Nothing scrolls sideways at 320 CSS pixels (WCAG 1.4.10): 1280 at 400 %."""
    shop = desk.shop(told_programme.contest(range(1, 15)))
    emitting.opened(emitting.small())
    browser = open_browser(NARROW[0], language="ca")
    desk.enrol(browser, line.url, shop, language="ca")
    wrong = workable(browser, "narrow-display", NARROW)
    for tab in ("promotrot", "prizes", "day"):
        browser.run("document.getElementById(arguments[0]).click()", f"tab-{tab}")
        browser.find({"promotrot": ".game", "prizes": "#presented-code", "day": ".day"}[tab])
        wrong += workable(browser, f"narrow-{tab}", NARROW)
    assert not wrong, "\n".join(wrong)
    assert browser.run(_PART_OF_BAR) < 0.4  # the rest is for the work
    browser.resize(TABLET[0])
    assert browser.run(_PART_OF_BAR) < 0.16
    browser.find(".player-language button")
    buttons = browser.all(".player-language button")
    assert [button.text for button in buttons] == ["Català", "Español", "English"]


def test_a_page_of_staff(open_browser: Open, line: Line) -> None:
    race_day()
    browser = open_browser(ZOOMED[0], language="ca")
    sign_on(browser, line.url, Desk(Role.ORGANISER, language="ca"))
    wrong = []
    pages = {
        "today": "/admin/",
        "race-day": "/admin/race-day/",
        "proposals": "/admin/staff/proposal/",
    }
    for name, url in pages.items():
        browser.go(f"{line.url}{url}")
        browser.find("#main, main, #content")
        wrong += workable(browser, name)
        wrong += workable(browser, f"narrow-{name}", NARROW)
    assert not wrong, "\n".join(wrong)


def test_the_organisers_desk_while_bets_are_sold(open_browser: Open, line: Line) -> None:
    """The sales of premises can be suspended at once, also at 320 px."""
    contest_on_sale()
    browser = open_browser(NARROW[0], language="ca")
    sign_on(browser, line.url, Desk(Role.ORGANISER, language="ca"))
    browser.go(f"{line.url}/admin/race-day/")
    browser.find(".desk-chart")
    wrong = workable(browser, "race-day-on-sale", (*NARROW, *TABLET))
    assert not wrong, "\n".join(wrong)
    browser.resize(NARROW[0])
    assert browser.run(CUT) == []
