"""A till by its keys in the last minute: nothing is marked by accident, and the change is said."""

from typing import Any

from core.payoffice.models import Payment
from lototrot.models.tickets import Ticket
from tests.support import paying
from tests.support.browser import desk
from tests.support.browser.driver import TERMINAL, Browser, Open, until
from tests.support.browser.line import Line

_FOCUS = "return document.activeElement.matches(arguments[0])"
_CONFIRM = ".bet-bar .primary"
_CHANGE = "return document.querySelector('dialog .change').textContent"
_ENTER: dict[str, Any] = {
    "key": "Enter",
    "code": "Enter",
    "windowsVirtualKeyCode": 13,
    "text": "\r",
}

# The pause after a check, and that of a dialog, does not end by itself.
_PAUSE_HELD = """
const { setTimeout } = window;
window.setTimeout = (act, ms) => ms === 400 ? (window.endPause = act, 0) : setTimeout(act, ms);
"""


def _marked(browser: Browser) -> list[list[str]]:
    """Return the marked numbers, race by race."""
    marked: list[list[str]] = browser.run(
        "return [...document.querySelectorAll('.race')].map((race) =>"
        " [...race.querySelectorAll('.runner[aria-pressed=true]')].map((e) => e.dataset.number))"
    )
    return marked


def test_a_bet_is_typed_confirmed_and_sold_with_enter(open_browser: Open, line: Line) -> None:
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    browser.keys("7", "7", "Enter")
    browser.says("#toast .warn", "77")  # a number that does not run is said, not only heard
    browser.keys("4", "Enter", "Enter")  # once too often: the second race is passed, not marked
    browser.keys("3", "Space", "8", "Space", "Enter")
    for number in ("7", "9", "2", "5"):
        browser.keys(number, "Enter")
    assert _marked(browser) == [["4"], [], ["3", "8"], ["7"], ["9"], ["2"], ["5"]]
    browser.keys("1", "Enter")  # from the last race Enter leads to the one that is missing
    assert _marked(browser)[1] == ["1"]
    for _ in range(5):
        browser.keys("Enter")
    assert browser.run(_FOCUS, _CONFIRM), "the button has the focus, and nothing more is marked"
    assert _marked(browser)[1:3] == [["1"], ["3", "8"]]
    browser.keys("Enter")
    _money_typed(browser)
    browser.keys("Enter")
    desk.sold(browser)
    assert Ticket.objects.get().bets == 2
    browser.says("#toast .good", "18,00 €")
    browser.says(".last", "18,00 €")  # it stays until the next sale
    browser.keys("F6")
    browser.keys("F8")
    browser.find("dialog .notes")
    browser.keys("Enter")  # the next player gives the exact money
    desk.sold(browser, 2)
    assert not browser.shows(".last .badge.good")


def _money_typed(browser: Browser) -> None:
    """Type what the player gives for a bet of 2.00. A scanner's digits are not money."""
    browser.find("dialog .notes")
    browser.keys("1")
    browser.says("dialog .other", "1,00 €")
    browser.says("dialog .change.bad", "1,00 €")  # it is less than the bet, by as much
    browser.keys("Enter")
    browser.find("dialog .notes")
    assert not Ticket.objects.exists()
    browser.keys("Backspace", "3", "7")
    browser.says("dialog .change", "35,00 €")
    desk.scan(browser, "0123" * 6)
    browser.find("#toast .warn")
    assert not browser.run(_CHANGE) and not Ticket.objects.exists()
    browser.keys("2", "0")
    browser.says("dialog .change", "18,00 €")
    browser.says("dialog .notes [aria-pressed=true]", "20,00 €")


def test_escape_begins_with_the_next_document(open_browser: Open, line: Line) -> None:
    won, _ = paying.worth(8_550, 1_000)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    browser.find(".bet")
    desk.scan(browser, won.code)
    browser.find(".acts .primary")
    browser.keys("Escape")
    browser.find(".shown .empty")
    until(lambda: browser.run(_FOCUS, "#presented-code"), "the focus in the field")
    assert not browser.shows(".acts")
    browser.keys("F1")
    browser.says("dialog", "Esc")


def _stays_down(browser: Browser) -> None:
    """Repeat Enter as a keyboard does while the key stays down, and let it go."""
    for _ in range(5):
        browser.devtools("Input.dispatchKeyEvent", **_ENTER, type="keyDown", autoRepeat=True)
    browser.devtools("Input.dispatchKeyEvent", **_ENTER, type="keyUp")


def test_an_enter_that_stays_down_neither_sells_nor_pays(open_browser: Open, line: Line) -> None:
    """It would mark, confirm and sell before anybody reads the bet, or check and pay."""
    won, _ = paying.worth(8_550, 1_000)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    for number in ("4", "1", "3", "7", "9", "2", "5"):
        browser.keys(number, "Enter")
    tickets = Ticket.objects.count()
    _stays_down(browser)
    assert not browser.shows("dialog[open]")
    browser.keys("Enter")
    browser.find("dialog .notes")
    _stays_down(browser)
    browser.find("dialog .notes")
    browser.keys("Escape")
    desk.scan(browser, won.code)
    browser.find(".acts .primary")
    _stays_down(browser)
    browser.keys("Escape")
    browser.find(".shown .empty")
    assert (Ticket.objects.count(), Payment.objects.exists()) == (tickets, False)


def test_an_enter_that_was_pressed_before_the_answer_could_be_read_pays_nothing(
    open_browser: Open, line: Line
) -> None:
    """Two quick Enters checked a document and paid it. The test ends the pause by hand."""
    won, _ = paying.worth(8_550, 1_000)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    browser.find(".bet")
    browser.run(_PAUSE_HELD)
    desk.scan(browser, won.code)
    browser.find(".acts .primary")
    browser.keys("Enter", "Enter")
    assert browser.run(_FOCUS, "#presented-code") and browser.shows(".acts .primary")
    assert not Payment.objects.exists()
    browser.run("window.endPause()")
    assert browser.run(_FOCUS, ".acts .primary")
    browser.keys("Enter")
    until(Payment.objects.exists, "the payment")


def test_an_enter_that_was_pressed_before_the_bet_could_be_read_sells_nothing(
    open_browser: Open, line: Line
) -> None:
    """Two quick Enters showed the bet and sold it: a player confirms what is read (14.III.1.2)."""
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    for number in ("4", "1", "3", "7", "9", "2", "5"):
        browser.keys(number, "Enter")
    browser.run(_PAUSE_HELD)
    browser.keys("Enter", "Enter")
    browser.find("dialog .notes")
    browser.keys("1", "5")  # what the player gives may be typed at once
    browser.says("dialog .other", "15")
    assert not Ticket.objects.exists()
    browser.run("window.endPause()")
    browser.keys("Enter")
    desk.sold(browser)
    assert Ticket.objects.count() == 1


def test_the_focus_stays_with_the_next_code_that_is_typed(open_browser: Open, line: Line) -> None:
    won, _ = paying.worth(8_550, 1_000)
    browser = open_browser(TERMINAL)
    desk.enrol(browser, line.url, desk.shop())
    browser.find(".bet")
    browser.run(_PAUSE_HELD)
    desk.scan(browser, won.code)
    browser.find(".acts .primary")
    browser.keys("7")
    browser.run("window.endPause()")
    assert browser.run(_FOCUS, "#presented-code")


def test_a_code_with_a_wrong_character_is_put_right_and_a_scan_replaces_it(
    open_browser: Open, line: Line
) -> None:
    """The field was emptied: all 24 characters were typed again."""
    typed, scanned = paying.worth(8_550, 1_000)
    browser = open_browser(language="ca")
    desk.enrol(browser, line.url, desk.shop())
    browser.click("#tabs [data-name=prizes]")
    wrong = typed.code[:-1] + ("0" if typed.code[-1] != "0" else "2")
    browser.type("#presented-code", wrong.replace("-", "").lower())
    browser.keys("Enter")
    browser.says(".shown .bad", "24 de 24")
    value = "return document.getElementById('presented-code').value"
    assert browser.run(value) == wrong
    browser.keys("End", "Backspace", typed.code[-1], "Enter")
    browser.says(".shown .good", "85,50 €")
    browser.keys("Escape")
    browser.type("#presented-code", wrong)
    browser.keys("Enter")
    browser.find(".shown .bad")
    desk.scan(browser, scanned.code)
    browser.says(".shown .good", "10,00 €")
    browser.complaints()  # the refused requests
