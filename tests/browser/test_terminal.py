"""The terminal in a real browser: Lototrot sold, refused, cut off, taken up again, corrected."""

import re
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext

from core.kernel.days import natural_day
from core.premises import operators
from core.premises.models import Operator, OperatorSession
from core.receipts.formats import format_date
from core.screens import texts
from core.statements.models import CashUp
from core.traffic.rates import Rate
from lototrot.engine.races import numbers_of
from lototrot.models.tickets import PrintConfirmation, Ticket, Void
from lototrot.services.contest.contests import ContestClosed
from tests.support import factories
from tests.support.browser import desk
from tests.support.browser.driver import FIRST_LOAD_BYTES, Browser, Open, until
from tests.support.browser.line import Line
from tests.support.browser.tasks import task

WAITING = "#waiting .state"
NUMBERS = [4, 1, 3, 7, 9, 2, 5]
# Whether nothing covers the middle of an element.
_IN_FRONT = """
const shown = document.querySelector(arguments[0]);
const {left, top, width, height} = shown.getBoundingClientRect();
return shown.contains(document.elementFromPoint(left + width / 2, top + height / 2));
"""

# Put the page's counter ten minutes ahead, sell, and keep what the sales are answered.
_AHEAD = """
const right = performance.now.bind(performance), ask = window.fetch;
performance.now = () => right() + 600000;
window.sales = [];
window.fetch = async (path, asked) => {
  const answer = await ask(path, asked);
  if (path.endsWith("lototrot/tickets")) window.sales.push(answer.status);
  return answer;
};
document.querySelector("dialog .primary").click();
"""


def _answered_late(browser: Browser, line: Line, lost: str, waiting: str) -> None:
    """Sell over a line that swallows the answer: the sale is shown once the line is mended."""
    desk.mark_all(browser, NUMBERS)
    line.swallow()
    desk.sell(browser)
    until(lambda: Ticket.objects.count() == 4, "the sale to arrive")
    browser.says("#cut", lost)
    browser.says(WAITING, waiting)
    assert browser.run("return document.getElementById('work').inert")
    assert browser.run(_IN_FRONT, "#cut")
    kept = desk.outbox(browser)
    assert kept and kept["uuid"] == str(Ticket.objects.latest("pk").uuid)
    line.mend()
    assert kept["uuid"] in desk.sold(browser, 4)
    browser.gone("#cut")
    # The last print is confirmed when the operator has had time to look at it.
    until(lambda: PrintConfirmation.objects.count() == 3, "the prints to be confirmed")
    assert Ticket.objects.count() == 4


def _closed_meanwhile(browser: Browser, shop: desk.Shop, closed: str) -> None:
    """Confirm a bet after the closing: the server's clock refuses what is still shown on sale."""
    desk.mark_all(browser, NUMBERS)
    browser.click(".bet-bar .primary")
    browser.find("dialog")
    factories.time_to(shop.contest.scheduled_close_at)
    browser.click("dialog .primary")
    browser.says("#toast .bad", closed)
    assert desk.outbox(browser) is None
    browser.find(".bet .empty")  # asked again, nothing is on sale
    assert Ticket.objects.count() == 4
    browser.click("#tab-day")
    since = natural_day(OperatorSession.objects.earliest("started_at").started_at)
    browser.says(".cash-up h2", format_date(since, browser.language))
    browser.says(".cash-up .facts", "9,00" if browser.language != "en" else "9.00")
    browser.type("#cash-counted", "8.50")
    browser.says(".cash-up output", "0,50" if browser.language != "en" else "0.50")
    browser.click(".cash-up form .button")
    until(lambda: len(browser.run("return window.printed")) == 5, "the slip of the cash-up")
    assert CashUp.objects.get().difference_cents == -50


def _multiple(browser: Browser, words: dict[str, Any]) -> None:
    """Mark a multiple of six bets; the screen says what is missing and what one more mark costs."""
    desk.mark_all(browser, NUMBERS[:5])
    browser.says(".missing", words["missing_races"][1].partition("{")[0])
    browser.says(".missing", "6")
    for race, number in ((6, 2), (7, 1), (7, 5)):
        desk.mark(browser, race, number)
    browser.click('[data-race="6"] [data-number="5"] + .only')  # a banker: 5 alone, in one tap
    desk.mark(browser, 1, 6)
    assert browser.text('[data-race="1"] .more').startswith("+")
    for number in (8, 10):
        desk.mark(browser, 2, number)


def _quick_pick(browser: Browser) -> list[str]:
    """Sell a quick pick in three keys and one to draw again. Return the numbers shown at last."""
    before = browser.acts
    with task(browser, "quick-pick", "dialog .again", desk.next_paper(browser)):
        browser.keys("F2")
        browser.says(".sum", "1 ")
        browser.keys("F8")
        browser.find("dialog .again")
        browser.keys("F2")  # the player may have them drawn again
        browser.acts -= 1  # which is not counted
        numbers = [each.text for each in browser.all("dialog .cloth")]
        browser.keys("Enter")
    assert browser.acts - before == 3
    return numbers


@pytest.mark.article("14.III.1.2", "14.III.4")
@pytest.mark.parametrize(
    ("language", "amount"), [("ca", "6,00 €"), ("es", "6,00 €"), ("en", "€6.00")]
)
def test_the_acts_of_a_counter_in_each_language(
    open_browser: Open, line: Line, language: str, amount: str
) -> None:
    """Single, multiple, quick pick; a lost line and an answer that came late; the closing."""
    shop = desk.shop()
    browser = open_browser(language=language)
    desk.enrol(browser, line.url, shop, language=language)
    desk.to_sale(browser)
    assert browser.run("return document.documentElement.lang") == language
    with translation.override(language):
        words: dict[str, Any] = texts.catalogue("terminal", "lototrot")
        closed = gettext(ContestClosed.message)
        lost = gettext("No connection: nothing is sold until it is back.")

    before = browser.acts
    with task(browser, "single", "dialog.confirmation", desk.next_paper(browser)):
        desk.mark_all(browser, NUMBERS)
        desk.sell(browser)
    assert browser.acts - before == 9
    paper = desk.sold(browser)
    single = Ticket.objects.get()
    assert single.bets == 1 and str(single.uuid) in paper

    _multiple(browser, words)
    browser.says(".sum", amount)
    browser.click(".bet-bar .primary")
    browser.says("dialog", amount)  # the player sees it before paying
    browser.says("dialog", "Cavall 1.4")  # and every horse, those of a multiple too
    browser.says("dialog", "Cavall 1.6")
    browser.click("dialog .notes .button")  # a note of 10.00, for a bet of 6.00
    browser.says("dialog .change", amount.replace("6", "4"))
    browser.says("dialog", words["confirm_before_paying"])
    browser.click("dialog .primary")
    assert amount in desk.sold(browser, 2).replace("\u00a0", " ")

    numbers = _quick_pick(browser)
    desk.sold(browser, 3)
    assert [t.bets for t in Ticket.objects.order_by("pk")] == [1, 6, 1]
    assert [t.quick_legs for t in Ticket.objects.order_by("pk")] == [0, 0, 0b1111111]
    drawn = Ticket.objects.latest("pk")
    assert [str(numbers_of(mask)[0]) for mask in drawn.legs()] == numbers
    assert browser.complaints() == []

    _answered_late(browser, line, lost, words["waiting_answer"])
    _closed_meanwhile(browser, shop, closed)


def test_it_works_by_keyboard_and_scanner_alone(open_browser: Open, line: Line) -> None:
    """A single typed race by race, sold, scanned, and annulled inside its window."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop(), by_keys=True)
    browser.find(".display")
    browser.tab_to(".display .primary")
    browser.keys("Enter")
    browser.find(".races")
    until(lambda: browser.run("return !!document.activeElement.closest('.race')"), "the focus")
    for number in ("4", "11", "3", "7", "9", "2"):
        browser.keys(*number, "Enter")
    browser.keys("5", "Space", "6", "Space", "ArrowDown")
    browser.says(".sum", "2,00 €")
    browser.keys("F8")
    browser.find("dialog")
    desk.scan(browser, "0" * 24)  # neither sells nor changes what is behind the confirmation
    browser.find("#toast .warn")
    assert browser.shows("dialog") and browser.shows(".races") and not Ticket.objects.exists()
    browser.keys("Enter")
    paper = desk.sold(browser)
    ticket = Ticket.objects.get()
    assert ticket.bets == 2

    browser.find(".last .correct")
    browser.tab_to(".last .correct")
    browser.keys("Enter")
    browser.find("#annul-code")
    code = code_on(paper)
    desk.scan(browser, code)
    assert browser.run("return document.getElementById('annul-code').value") == code
    browser.keys("Enter")
    browser.gone("dialog")
    assert Void.objects.get().ticket_id == ticket.pk
    browser.gone(".last .correct")
    kept = browser.run("return JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert code not in kept and code.replace("-", "") not in kept
    _next_shift(browser)


def _next_shift(browser: Browser) -> None:
    """Sign off and on: neither marks nor the last ticket of a shift are left to the next."""
    desk.mark(browser, 1, 4)
    assert browser.shows(".last")
    browser.click("#who .button")
    desk.sign_on(browser, by_keys=True)
    browser.find(".races")
    assert browser.all('.runner[aria-pressed="true"]') == [] and not browser.shows(".last")


def test_a_withdrawn_horse_is_refused_struck_through_and_no_longer_marked(
    open_browser: Open, line: Line
) -> None:
    shop = desk.shop()
    browser = open_browser()
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    desk.withdraw(shop.contest, race=3, number=3)
    desk.sell(browser)
    browser.find('[data-race="2"] .withdrawn')
    browser.says(".sum", "0,00 €")
    assert not Ticket.objects.exists()
    desk.mark(browser, 3, 8)
    browser.keys("F9")  # the first of a payment of three
    desk.mark_all(browser, [1] * 7)
    desk.mark(browser, 1, 2)
    browser.keys("F9")
    desk.mark_all(browser, [2, 2, 4, 2, 2, 2, 2])
    browser.says(".sum", "4,00 €")
    desk.withdraw(shop.contest, race=3, number=4)
    line.swallow()
    browser.keys("F8")
    browser.says("dialog .due", "4,00 €")
    browser.keys("Enter")
    until(Ticket.objects.exists, "the first to arrive")
    browser.find("#cut")
    line.mend()
    # Each is a sale of its own: the one refused harms no other, and is not charged.
    browser.says("dialog .due", "3,00 €")
    assert [ticket.bets for ticket in Ticket.objects.order_by("pk")] == [1, 2]
    papers = desk.printed(browser, 2)
    browser.keys("Escape")
    browser.gone(".coupons")  # its horse is withdrawn: nothing of it can be sold
    _annul_any(browser, papers[0])


def _annul_any(browser: Browser, paper: str) -> None:
    """Find a ticket that is not the last one by its numbers, and annul it inside its window."""
    browser.keys("F1")
    browser.says("dialog", "F9")
    browser.keys("Escape")
    browser.click("#tab-day")
    until(lambda: len(browser.all(".day tbody tr")) == 2, "both tickets")
    browser.click(".day .printer .button")
    assert "1234567890" in desk.printed(browser, 3)[-1]
    browser.type("#find-ticket", "4 0 8")
    until(lambda: len(browser.all(".day tbody tr")) == 1, "the one ticket")
    browser.says(".day .played", "9")
    browser.click(".day .annul")
    browser.click("dialog [aria-expanded]")  # letters and digits to be touched
    browser.click("dialog .code-keys .button:nth-child(8)")
    assert browser.run("return document.getElementById('annul-code').value") == "7"
    desk.scan(browser, code_on(paper))
    browser.keys("Enter")
    browser.gone("dialog")
    assert [row.ticket for row in Void.objects.all()] == [Ticket.objects.earliest("pk")]


def code_on(paper: str) -> str:
    """Return the bearer code that a paper shows."""
    code = re.search(r"[0-9A-Z]{4}(?:-[0-9A-Z]{4}){5}", paper)
    assert code
    return code[0]


def test_a_terminal_switched_off_in_the_middle_takes_its_sale_up_again(
    open_browser: Open, line: Line
) -> None:
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    line.swallow()
    desk.sell(browser)
    until(Ticket.objects.exists, "the sale to arrive")
    browser.go("about:blank")
    line.mend()
    operators.operator_sign_off(session=OperatorSession.objects.get().pk)
    browser.go(f"{line.url}/terminal/")
    desk.sign_on(browser)
    paper = desk.sold(browser)
    assert str(Ticket.objects.get().uuid) in paper


def test_giving_up_a_sale_that_never_arrived_sells_nothing_ever(
    open_browser: Open, line: Line
) -> None:
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    browser.click(".bet-bar .primary")
    browser.find("dialog")
    line.cut()
    browser.click("dialog .primary")
    browser.find("#cut")
    browser.click(f"{WAITING} .button")
    line.mend()
    until(lambda: desk.outbox(browser) is None, "the outbox to be empty")
    browser.gone("#cut")
    assert not Ticket.objects.exists()
    browser.says(".sum", "1,00 €")  # the marks are still there
    desk.sell(browser)
    desk.sold(browser)
    assert Ticket.objects.count() == 1


def test_a_session_that_ended_is_asked_for_and_the_same_sale_goes_on(
    open_browser: Open, line: Line
) -> None:
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    operators.operator_sign_off(session=OperatorSession.objects.get().pk)
    desk.sell(browser)
    browser.find("#operator-number")
    kept = desk.outbox(browser)
    desk.sign_on(browser)
    desk.sold(browser)
    assert kept and Ticket.objects.get().uuid.hex == kept["uuid"].replace("-", "")
    _with_a_wrong_clock(browser)


def _with_a_wrong_clock(browser: Browser) -> None:
    """Sell ten minutes ahead of the system: the till asks again with the time of the refusal."""
    desk.mark_all(browser, NUMBERS)
    browser.click(".bet-bar .primary")
    browser.find("dialog .primary")
    browser.run(_AHEAD)
    desk.sold(browser, 2)
    assert browser.run("return window.sales") == [409, 201]
    assert [ident.version for ident in Ticket.objects.values_list("uuid", flat=True)] == [7, 7]


def test_an_operator_chooses_a_pin_and_none_shows(
    open_browser: Open, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a wrong PIN the next one is typed into the same field, not into the number; after too
    many, the form says how long to wait.
    """
    monkeypatch.setattr(operators, "TRIES", Rate(per_s=0.5, burst=1))
    browser = open_browser()
    shop = desk.shop(has_given_pin=True)
    browser.go(f"{line.url}/terminal/")
    browser.find("#enrolment-code")
    browser.run("document.activeElement.blur()")
    desk.scan(browser, shop.enrolment_code)  # the symbol of the administration's page
    browser.type("#operator-number", "1")
    browser.type("#operator-pin", "999991")
    browser.keys("Enter")
    browser.find(".way-in .notice.bad:not([hidden])")
    browser.keys(*desk.GIVEN, "Enter")
    browser.says(".way-in .notice.bad", "d'aquí a 00:0")
    browser.find(".way-in .primary:enabled")
    browser.keys(*desk.GIVEN, "Enter")
    browser.type("#new-pin", desk.PIN)
    browser.type("#new-pin-again", "101010")
    browser.keys("Enter")
    browser.find(".way-in .notice.bad:not([hidden])")
    browser.keys(*desk.PIN)
    browser.type("#new-pin-again", desk.PIN)
    hidden = "return [...document.querySelectorAll('.way-in input')].map((field) => field.type)"
    assert browser.run(hidden) == ["password", "password"]
    browser.keys("Enter")
    browser.find("#tabs")
    assert Operator.objects.get(premises__code=shop.premises).pin_chosen_at


def test_the_first_load_is_small(open_browser: Open, line: Line) -> None:
    """All that the browser asked for until it could work, each part compressed."""
    browser = open_browser()
    browser.go(f"{line.url}/terminal/")
    browser.find("#enrolment-code")
    sizes = browser.first_load()
    assert len(sizes) > 10
    assert sum(sizes.values()) <= FIRST_LOAD_BYTES, sizes
