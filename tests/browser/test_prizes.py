"""Prizes at the terminal in a real browser: paid once, refused, asked again after a lost line."""

from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from django.utils.translation import gettext

from core.payoffice.models import Claim, Deposit, Payment
from core.payoffice.refusals import PlaceNotAllowed
from tests.support import paying, rounds
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, until
from tests.support.browser.line import Line
from tests.support.browser.tasks import task

STATE = ".shown .state"


def at_the_terminal(browser: Browser, line: Line, language: str = "ca") -> None:
    desk.enrol(browser, line.url, desk.shop(), language=language)
    browser.find(".bet")


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(
    ("language", "small", "large", "must", "player"),
    [
        ("ca", "85,50 €", "450,00 €", "S'ha de pagar aquí.", ("en", "€85.50", "Paid")),
        ("es", "85,50 €", "450,00 €", "Se debe pagar aquí.", ("ca", "85,50 €", "Pagat")),
        ("en", "€85.50", "€450.00", "It must be paid here.", ("es", "85,50 €", "Pagado")),
    ],
)
def test_a_prize_is_paid_once_and_what_may_not_be_paid_here_is_refused(
    open_browser: Open,
    line: Line,
    language: str,
    small: str,
    large: str,
    must: str,
    player: tuple[str, str, str],
) -> None:
    """The player's screen says it in the player's language."""
    won, too_large, nothing = paying.worth(8_550, 45_000, 0)
    browser = open_browser(language=language)
    at_the_terminal(browser, line, language)
    browser.window(f"{line.url}/terminal/player/?lang={player[0]}")

    with task(browser, "terminal-prize", f"{STATE}.good", desk.next_paper(browser)):
        desk.scan(browser, won.code)  # wherever the focus is
        browser.says(f"{STATE}.good", small)
        browser.says(f"{STATE} .why", must)
        browser.find(".acts .primary:focus")  # once it could be read
        before = browser.acts
        browser.keys("Enter")  # one act after the scan: the paper agrees
    assert browser.acts - before == 1
    (receipt,) = desk.printed(browser)
    assert small in receipt.replace("\u00a0", " ")
    until(lambda: desk.outbox(browser) is None, "the receipt")
    payment = Payment.objects.get()
    assert payment.amount_cents == 8_550 and payment.claim.state == Claim.State.PAID
    browser.other_window()
    for words in player[1:]:
        browser.says(f"{STATE.split()[1]}.good", words)
    browser.other_window()

    desk.scan(browser, f"https://lototrot.example/check#{won.code.replace('-', '')}")
    browser.find(f"{STATE}.bad")
    browser.says(".shown .card", payment.premises.name)  # where it was paid, and when
    browser.says(".shown .card", f"{payment.paid_at.astimezone(ZoneInfo('Europe/Madrid')):%H:%M}")
    browser.other_window()
    browser.find(f"{STATE.split()[1]}.bad")
    assert payment.premises.name not in browser.text("#shown")
    browser.other_window()
    desk.scan(browser, too_large.code)
    browser.says(f"{STATE}.warn", large)
    assert "14.III" not in browser.text(f"{STATE}.warn")  # it stands with the details
    browser.says(".shown .card", "14.III.10.2")
    assert not browser.shows(".acts .primary")
    browser.other_window()
    with translation.override(player[0]):
        refused = gettext(PlaceNotAllowed.message).partition(" (")[0]
    browser.says(f"{STATE.split()[1]}.warn", refused)
    browser.other_window()
    desk.scan(browser, nothing.code)
    browser.find(f"{STATE}.info")
    browser.type("#presented-code", "1111-2222-3333-4444-5555-6666")
    browser.keys("Enter")
    browser.find(f"{STATE}.bad")
    browser.complaints()  # the refused requests
    assert Payment.objects.count() == 1


def test_the_players_screen_says_that_a_prize_is_refused_before_it_has_the_reason(
    open_browser: Open, line: Line
) -> None:
    """On a slow line the last player's screen stood there until the reason had come."""
    (too_large,) = paying.worth(45_000)
    browser = open_browser(language="ca")
    at_the_terminal(browser, line, "ca")
    browser.window(f"{line.url}/terminal/player/?lang=es")
    browser.other_window()
    browser.run("window.fetch = () => new Promise(() => {})")
    browser.other_window()
    desk.scan(browser, too_large.code)
    browser.find(f"{STATE}.warn")
    browser.other_window()
    browser.says(f"{STATE.split()[1]}.warn", "450,00")
    browser.other_window()
    browser.complaints()  # the refused request


def test_a_payment_whose_answer_was_lost_is_made_once_even_after_a_restart(
    open_browser: Open, line: Line
) -> None:
    first, second = paying.worth(8_550, 1_000)
    browser = open_browser()
    at_the_terminal(browser, line)
    for ticket, restart in ((first, False), (second, True)):
        desk.scan(browser, ticket.code)
        browser.find(".acts .primary:focus")
        before = Payment.objects.count()
        line.swallow()
        browser.keys("Enter")
        until(lambda: Payment.objects.count() > before, "the payment to arrive")  # noqa: B023
        browser.find("#cut")
        kept = browser.run("return JSON.stringify({...localStorage})")
        assert ticket.code not in kept and ticket.code.replace("-", "") not in kept
        if restart:
            browser.go("about:blank")
        line.mend()
        if restart:
            browser.go(f"{line.url}/terminal/")
        browser.find(f"{STATE}.good")
        until(lambda: desk.outbox(browser) is None, "the receipt")
    assert [p.amount_cents for p in Payment.objects.order_by("pk")] == [8_550, 1_000]


@pytest.mark.article("14.III.10.2")
def test_a_ticket_is_presented_once_the_results_are_established(
    open_browser: Open, line: Line
) -> None:
    """D7: before the payment order the screen offers what stops the lapse, and does not pay."""
    contest = paying.contest()
    (ticket,) = paying.tickets(contest, 1)
    browser = open_browser()
    at_the_terminal(browser, line)
    desk.scan(browser, ticket.code)
    browser.find(f"{STATE}.info")
    offered = "return document.querySelectorAll('.acts button').length"
    assert browser.run(offered) == 2, "its state, and the next"
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    desk.scan(browser, ticket.code)
    until(lambda: browser.run(offered) == 4, "presenting and depositing")
    assert not browser.shows(".acts .primary")
    browser.click(".acts button")
    browser.find(f"{STATE}.warn")
    desk.printed(browser)
    assert Claim.objects.get().state == Claim.State.EARLY


@pytest.mark.article("14.III.10.5")
def test_a_torn_ticket_is_taken_in_for_checking(open_browser: Open, line: Line) -> None:
    (torn,) = paying.worth(8_550)
    browser = open_browser()
    at_the_terminal(browser, line)
    desk.scan(browser, torn.code)
    browser.click(".acts .deposit")  # it does not agree
    browser.click("dialog .choice input")
    browser.click("dialog .primary")
    desk.printed(browser)
    browser.find(f"{STATE}.warn")
    assert Deposit.objects.get().reason == Deposit.Reason.DAMAGED
    assert not Payment.objects.exists()
