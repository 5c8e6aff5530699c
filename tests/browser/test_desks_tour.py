"""The organiser's desk and the office's desk in a browser, with the acts of two persons."""

import pytest
from django.conf import settings

from core.payoffice.models import Payment
from core.payoffice.services.cash import cash_open
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from lototrot.models.contest import Contest
from lototrot.models.running import Withdrawal
from tests import factories, paying, settling
from tests.admin_desk import Desk
from tests.browser.conftest import Open
from tests.browser.driver import TERMINAL, Browser, until
from tests.browser.line import Line
from tests.browser.tour import SHOTS


def sign_on(browser: Browser, url: str, desk: Desk) -> None:
    """Take over the session of a person who has signed on."""
    cookie = desk.client.cookies[settings.SESSION_COOKIE_NAME].value
    browser.go(f"{url}/livez")
    browser.run(f"document.cookie = '{settings.SESSION_COOKIE_NAME}={cookie}; path=/'")


def press(browser: Browser, act: str) -> None:
    """Choose an act on the race day's desk."""
    browser.click(f'a.desk-button[href*="/{act}/?back="]')


def shows(browser: Browser, text: str) -> None:
    until(lambda: text in browser.run("return document.body.innerText"), text)


@pytest.mark.article("14.III.5.4.1", "14.III.4")
def test_a_race_day_is_run_from_the_desk(open_browser: Open, line: Line) -> None:
    factories.time_to(settling.NOON)
    contest = settling.contest(settling.rules(), [(1, 2, 3, 4, 5)] * 7)
    settling.sell(contest, factories.point(), [settling.masks([[1]] * 7)] * 40)
    roles = (Role.ORGANISER, Role.STEWARDS)
    first, second = open_browser(TERMINAL), open_browser(TERMINAL)
    for browser in (first, second):
        sign_on(browser, line.url, Desk(*roles, language="ca"))
        browser.go(f"{line.url}/admin/race-day/")
        browser.find(".desk-steps")
    first.screenshot(SHOTS / "race-day-on-sale-terminal.png")
    press(first, "withdraw")
    first.type("#id_source", "Secretaria")
    first.click(".house-buttons button:not([name=do])")
    first.click(".house-buttons button[name=do]")
    first.find(".desk-steps")
    press(second, "confirm")  # it came by itself, within seconds
    second.click(".house-buttons button[name=do]")
    second.find(".desk-steps")
    until(lambda: Withdrawal.objects.filter(confirmed_at__isnull=False).exists(), "confirmation")
    press(first, "close")
    first.click(".house-buttons button[name=do]")
    first.find(".desk-steps")
    until(lambda: Contest.objects.get(pk=contest.pk).state == Contest.State.CLOSED, "closing")
    shows(second, str(Contest.State.CLOSED.label))
    first.screenshot(SHOTS / "race-day-closed-terminal.png")


@pytest.mark.article("14.III.10.2")
def test_a_prize_is_paid_at_the_office_by_keyboard_alone(open_browser: Open, line: Line) -> None:
    (ticket,) = paying.worth(432_10)
    desk = Desk(Role.CASHIER, language="ca")
    by = actor_of(session_start(user=desk.person, verified=True)[0])
    cash_open(by=by, premises=paying.office().code, float_cents=1_000_00)
    browser = open_browser(TERMINAL)
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/office/")
    browser.find("#office-code")
    browser.keys(*ticket.code, "Enter")
    browser.find(".office-state.good")
    browser.keys("Space", "Enter")  # the paper agrees; pay
    until(Payment.objects.exists, "the payment")
    browser.find('.office-state a[href$=".pdf"]')
    browser.screenshot(SHOTS / "office-paid-terminal.png")
    browser.keys("Escape")
    assert browser.run("return document.activeElement.id") == "office-code"
