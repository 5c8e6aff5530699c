"""The terminal in a real browser on bad days: faults of the server, old requests, two windows."""

import threading
from secrets import token_bytes
from typing import Any

import pytest

from core.kernel.errors import InvariantBroken
from core.payoffice.api import claims
from core.payoffice.models import Payment
from core.premises import operators
from core.premises.models import OperatorSession, Premises, Terminal
from lototrot.api import sale
from lototrot.models.tickets import Ticket
from lototrot.services.tickets import selling
from tests.support import factories, paying
from tests.support.browser import desk
from tests.support.browser.driver import Open, until
from tests.support.browser.line import Line

NUMBERS = [4, 1, 3, 7, 9, 2, 5]


def test_a_fault_of_the_server_after_the_sale_does_not_say_not_sold(
    open_browser: Open, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator who reads that nothing was sold sells the same bet again."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    answered, faults = sale.card_of, [InvariantBroken()]

    def card_of(*args: Any) -> Any:
        if faults:
            raise faults.pop()
        return answered(*args)

    monkeypatch.setattr(sale, "card_of", card_of)
    desk.sell(browser)
    paper = desk.sold(browser)
    assert str(Ticket.objects.get().uuid) in paper
    browser.complaints()  # the answer 500


# A minute of waiting passes in a second.
_QUICK = "const late = setTimeout; window.setTimeout = (act, ms) => late(act, ms / 60);"


@pytest.mark.parametrize("is_sold", [True, False])
def test_a_sale_of_which_nobody_knows_is_asked_for_until_it_is_known(
    open_browser: Open, line: Line, monkeypatch: pytest.MonkeyPatch, is_sold: bool
) -> None:
    """The till stood on its waiting screen for ever, and did not ask again."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    browser.run(_QUICK)
    works = threading.Event()

    def failing(module: Any, name: str) -> None:
        right = getattr(module, name)

        def may_fail(*args: Any, **named: Any) -> Any:
            if not works.is_set():
                raise InvariantBroken
            return right(*args, **named)

        monkeypatch.setattr(module, name, may_fail)

    failing(sale if is_sold else selling, "card_of" if is_sold else "ticket_sell")
    failing(selling, "request_state")
    desk.sell(browser)
    browser.find("#waiting .code")
    entry = desk.outbox(browser)
    assert entry is not None
    browser.says("#waiting .code", entry["uuid"])
    browser.says("#waiting .state", "línia d'ajuda")
    works.set()
    if is_sold:
        assert entry["uuid"] in desk.sold(browser)
    else:
        until(lambda: desk.outbox(browser) is None, "the till to know")
    assert Ticket.objects.count() == is_sold
    browser.complaints()  # the answers 500


@pytest.mark.parametrize("later", ["hours", "another operator"])
def test_a_sale_that_never_arrived_is_not_made_without_its_player(
    open_browser: Open, line: Line, later: str
) -> None:
    """The till was switched off without a line. Who signs on later has no player, and no money."""
    browser, shop = open_browser(), desk.shop()
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    browser.click(".bet-bar .primary")
    browser.find("dialog .primary")
    line.cut()
    browser.click("dialog .primary")
    browser.find("#cut")
    browser.go("about:blank")
    line.mend()
    if later == "hours":
        factories.time_pass(minutes=90)
    else:
        desk.operator_two(shop)
        operators.operator_sign_off(session=OperatorSession.objects.get().pk)
    browser.go(f"{line.url}/terminal/")
    if later != "hours":
        desk.sign_on(browser, number=2)
    browser.find("#tabs")
    until(lambda: desk.outbox(browser) is None, "the outbox to be empty")
    assert not Ticket.objects.exists()
    browser.find("#toast .warn")


# Put the page's counter two hours ahead.
_LATER = "const now = performance.now.bind(performance); performance.now = () => now() + 7_200_000"


def test_a_till_that_was_left_on_sells_nothing_hours_later(open_browser: Open, line: Line) -> None:
    """It waited for the line all the time, with the operator's session; the player had gone."""
    browser, shop = open_browser(), desk.shop()
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    browser.click(".bet-bar .primary")
    browser.find("dialog .primary")
    line.cut()
    browser.click("dialog .primary")
    browser.find("#cut")
    browser.run(_LATER)
    line.mend()
    until(lambda: desk.outbox(browser) is None, "the outbox to be empty")
    assert not Ticket.objects.exists()
    browser.find("#toast .warn")


# Pass the first sale on, and answer in the place of the system, as a shop's network does.
_REFUSED_BY_ANOTHER = """
const ask = window.fetch;
let first = true;
window.fetch = async (path, asked) => {
  const isFirst = path.endsWith("lototrot/tickets") && first;
  if (isFirst) first = false;
  const answer = await ask(path, asked);
  return isFirst ? new Response("<h1>Forbidden</h1>", { status: 403 }) : answer;
};
"""


def test_a_refusal_by_the_network_of_the_shop_does_not_say_not_sold(
    open_browser: Open, line: Line
) -> None:
    """Only the system itself knows. The sale had arrived, and is asked for under the same UUID."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    browser.run(_REFUSED_BY_ANOTHER)
    desk.sell(browser)
    paper = desk.sold(browser)
    assert str(Ticket.objects.get().uuid) in paper


# Keep the answer to the first check back until the second one is shown.
_SLOW = """
const ask = window.fetch;
let first = true;
window.fetch = async (path, asked) => {
  const isFirst = path.endsWith("claims/check") && first;
  if (isFirst) first = false;
  const answer = await ask(path, asked);
  if (isFirst) await new Promise((done) => { window.answerFirst = done; });
  return answer;
};
"""


def test_of_two_papers_scanned_at_once_the_second_is_shown(open_browser: Open, line: Line) -> None:
    """The answer about the first comes last. It is not shown over the code of the second."""
    small, large = paying.worth(1_000, 8_550)
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    browser.find(".bet")
    browser.run(_SLOW)
    desk.scan(browser, large.code)
    browser.find(".shown .loading")
    desk.scan(browser, small.code)
    browser.says(".shown .state", "10,00")
    until(lambda: browser.run("return 'answerFirst' in window"), "the first answer")
    browser.run("window.answerFirst()")
    browser.run("return new Promise((done) => setTimeout(done, 200))")
    browser.says(".shown .state", "10,00")


def test_a_second_window_waits_for_the_first(open_browser: Open, line: Line) -> None:
    """Both would send the same sale, print its paper, and replace each other's token."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    line.swallow()
    desk.sell(browser)
    until(Ticket.objects.exists, "the sale to arrive")
    line.mend()
    desk.sold(browser)
    browser.window(f"{line.url}/terminal/")
    browser.other_window()
    browser.find("#work .elsewhere")
    assert not browser.shows("#operator-number")
    browser.other_window()
    browser.go("about:blank")
    browser.other_window()
    browser.find("#operator-number")


def test_no_name_is_markup_on_the_test_page(open_browser: Open, line: Line) -> None:
    """A name with a sign of markup was cut there, and could bring elements into the page."""
    browser, shop = open_browser(), desk.shop()
    name = 'Ca <b data-style="color:red">na</b> & <img src="x">'
    Premises.objects.filter(code=shop.premises).update(name=name)
    desk.enrol(browser, line.url, shop)
    browser.click("#tab-day")
    browser.click(".day .printer .button")
    assert name in desk.printed(browser)[-1]
    assert browser.run("return document.querySelectorAll('#paper img, #paper b').length") == 0


def test_a_payment_that_is_still_under_way_is_not_called_not_paid(
    open_browser: Open, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is loaded again while the system is slow: the player would go with a paid ticket."""
    (ticket,) = paying.worth(1_000)
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    browser.find(".bet")
    make, asked, go_on = claims.paying.payment_make, threading.Event(), threading.Event()

    def slowly(**request: Any) -> Any:
        asked.set()
        go_on.wait(60)
        return make(**request)

    monkeypatch.setattr(claims.paying, "payment_make", slowly)
    desk.scan(browser, ticket.code)
    browser.find(".acts .primary:focus")
    browser.keys("Enter")
    assert asked.wait(60)
    browser.go(f"{line.url}/terminal/")
    browser.find("#tabs")
    browser.run("return new Promise((done) => setTimeout(done, 1500))")
    assert desk.outbox(browser)
    go_on.set()
    browser.find(".shown .state.good")
    until(lambda: desk.outbox(browser) is None, "the receipt")
    assert Payment.objects.count() == 1


def test_a_till_whose_token_a_restore_lost_goes_on(open_browser: Open, line: Line) -> None:
    """It forgot its enrolment, so that two persons had to enrol it again: every till, after one."""
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    _token_lost()
    desk.mark_all(browser, NUMBERS)
    desk.sell(browser)
    paper = desk.sold(browser)
    assert str(Ticket.objects.get().uuid) in paper
    browser.click("#who .button")
    _token_lost()
    desk.sign_on(browser)
    browser.find(".races")
    browser.complaints()  # what is refused before the new token


def _token_lost() -> None:
    """Give the terminal the token of an earlier time, as a restored database has it."""
    lost = {"token_digest": token_bytes(32), "next_token_digest": None}
    Terminal.objects.update(**lost, next_token_expires_at=None)
