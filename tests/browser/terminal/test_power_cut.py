"""The power fails at a counter while the printer still has a paper to bring out."""

import pytest

from core.premises.models import OperatorSession
from core.premises.operators import operator_sign_off
from lototrot.models.tickets import PrintConfirmation, Reprint, Ticket
from promotrot.models.voucher import Voucher, VoucherPrint, VoucherReprint
from tests.support import emitting
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, until
from tests.support.browser.line import Line

NUMBERS = [4, 1, 3, 7, 9, 2, 5]
ASKED = "#papers .notice"
OF_VOUCHER = ".promotrot .unknown"
LEAVE = ".stage footer .primary:enabled"


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


def _won(browser: Browser, line: Line) -> Voucher:
    """Sell the first ticket of the small game, which wins, and print its voucher."""
    with emitting.seeded(emitting.seed_where("small/1", lambda prizes: prizes[0] == 1)):
        emitting.opened(emitting.small())
    desk.enrol(browser, line.url, desk.shop())
    browser.click("#tab-promotrot")
    desk.to_play(browser)
    browser.click(".game .buy")
    browser.click("dialog .primary")
    browser.find(".stage .cell.covered")
    browser.keys("F8")
    browser.find(LEAVE)
    desk.printed(browser)
    return Voucher.objects.get()


@pytest.mark.article("15.III.6.3")
def test_the_operator_says_whether_a_voucher_came_out_too(open_browser: Open, line: Line) -> None:
    """It was confirmed twenty seconds after the screen was opened, or as the play was left."""
    browser = open_browser(language="ca")
    voucher = _won(browser, line)
    _power_cut(browser, line)
    desk.sign_on(browser)
    browser.says(OF_VOUCHER, "4,00 €")
    assert desk.printed(browser, 0) == []
    browser.click(f"{OF_VOUCHER} .copy")
    (copy,) = desk.printed(browser)
    assert "DUPLICAT" in copy.upper() and str(voucher.uuid) in copy
    assert VoucherReprint.objects.get().voucher == voucher

    browser.click(LEAVE)  # the next player does not wait for the answer
    browser.find(".games")
    browser.says(OF_VOUCHER, "4,00 €")
    assert not VoucherPrint.objects.exists()
    browser.click(f"{OF_VOUCHER} .button:not(.copy)")
    browser.gone(OF_VOUCHER)
    assert VoucherPrint.objects.get().voucher == voucher
    assert browser.complaints() == []


def test_a_voucher_that_is_printed_from_the_list_is_asked_for(
    open_browser: Open, line: Line
) -> None:
    """It was confirmed at once, before anybody could look at the paper."""
    browser = open_browser(language="ca")
    voucher = _won(browser, line)
    browser.run("localStorage.removeItem('promotrot.play')")
    browser.run("localStorage.removeItem('promotrot.handed-over')")
    _power_cut(browser, line)
    desk.sign_on(browser)
    browser.click("#tab-promotrot")
    browser.click(".promotrot .notice .button")
    browser.says(OF_VOUCHER, "4,00 €")
    desk.printed(browser)
    assert not VoucherPrint.objects.exists()
    browser.click(f"{OF_VOUCHER} .button:not(.copy)")
    browser.gone(OF_VOUCHER)
    assert VoucherPrint.objects.get().voucher == voucher
