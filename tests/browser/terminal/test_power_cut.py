"""The power fails at a counter while the printer still has a paper to bring out."""

from core.premises.models import OperatorSession
from core.premises.operators import operator_sign_off
from lototrot.models.tickets import PrintConfirmation, Reprint, Ticket
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, until
from tests.support.browser.line import Line

NUMBERS = [4, 1, 3, 7, 9, 2, 5]
ASKED = "#papers .notice"


def _power_cut(browser: Browser, line: Line) -> None:
    """Switch the machine off and on: what a window keeps for itself is gone."""
    browser.run("sessionStorage.clear()")
    browser.go("about:blank")
    browser.go(f"{line.url}/terminal/")


def _confirmed() -> list[int]:
    return list(PrintConfirmation.objects.order_by("ticket").values_list("ticket", flat=True))


def test_the_operator_says_whether_the_paper_came_out_before_its_code_is_gone(
    open_browser: Open, line: Line
) -> None:
    """It was confirmed as soon as the screen was opened again, so that nothing gave the player a
    paper any more, and a bet that was paid for could not be claimed (E5).
    """
    browser = open_browser(language="ca")
    desk.enrol(browser, line.url, desk.shop())
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    desk.sell(browser)
    desk.sold(browser)
    first = Ticket.objects.get()
    _power_cut(browser, line)
    desk.sign_on(browser)
    browser.says(ASKED, "1,00 €")
    assert not _confirmed()

    browser.click(f"{ASKED} .copy")
    (copy,) = desk.printed(browser)
    assert "DUPLICAT" in copy.upper() and str(first.uuid) in copy
    assert Reprint.objects.get().ticket == first
    desk.mark_all(browser, NUMBERS[::-1])
    desk.sell(browser)  # the next in the queue does not wait for the answer
    desk.sold(browser, 2)
    assert browser.shows(ASKED) and not _confirmed()

    browser.click(f"{ASKED} .button:not(.copy)")
    browser.gone(ASKED)
    until(lambda: first.pk in _confirmed(), "the confirmation")


def test_a_paper_that_nobody_may_print_again_is_not_confirmed(
    open_browser: Open, line: Line
) -> None:
    """Another operator says that it did not come out: the ticket stays on record as unprinted."""
    browser, shop = open_browser(language="ca"), desk.shop()
    desk.enrol(browser, line.url, shop)
    desk.to_sale(browser)
    desk.mark_all(browser, NUMBERS)
    desk.sell(browser)
    desk.sold(browser)
    operator_sign_off(session=OperatorSession.objects.get().pk)
    desk.operator_two(shop)
    _power_cut(browser, line)
    desk.sign_on(browser, number=2)
    browser.click(f"{ASKED} .copy")
    browser.gone(ASKED)
    browser.find("#toast .bad, #toast .warn")
    assert not _confirmed() and not Reprint.objects.exists()
    browser.complaints()  # the refused request
