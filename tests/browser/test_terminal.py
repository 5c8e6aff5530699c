"""The terminal in a real browser."""

import pytest

from lototrot.models.tickets import PrintConfirmation, Ticket
from tests.browser import desk
from tests.browser.conftest import Open
from tests.browser.driver import until
from tests.browser.line import Line


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_a_single_bet_is_sold_and_printed(open_browser: Open, line: Line, language: str) -> None:
    shop = desk.shop()
    browser = open_browser(language=language)
    desk.enrol(browser, line.url, shop, language=language)
    desk.to_sale(browser)
    desk.mark_all(browser, [4, 1, 3, 7, 9, 2, 5])
    desk.sell(browser)
    (paper,) = desk.printed(browser)
    browser.gone("#waiting")
    ticket = Ticket.objects.get()
    assert ticket.bets == 1 and str(ticket.uuid) in paper
    until(PrintConfirmation.objects.filter(ticket=ticket).exists, "the confirmation")
    until(lambda: desk.outbox(browser) is None, "the outbox to be empty")
    assert browser.complaints() == []
