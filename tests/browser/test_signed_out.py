"""A desk that is left open when its person signs out, and tables and icons for screen readers."""

from django.test import Client

from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.browser.test_desks_tour import sign_on
from tests.support import factories
from tests.support.admin_desk import Desk, list_url
from tests.support.browser.driver import TERMINAL, Open, until
from tests.support.browser.line import Line

# Controls whose name would be read out as the word of their icon.
_NAMES = """
return [...document.querySelectorAll("a, button, [role=button]")].filter(
  (one) => one.offsetParent !== null && !one.hasAttribute("aria-label")
    && one.querySelector(".material-symbols-outlined:not([aria-hidden=true])")
).map((one) => one.outerHTML)
"""
_UNNAMED = """
return [...document.querySelectorAll("main table")].filter(
  (one) => !one.caption && !one.closest("td")).length
"""


def test_a_desk_left_open_says_who_signed_out_and_names_tables_and_controls(
    open_browser: Open, line: Line
) -> None:
    factories.contest()
    desk = Desk(Role.ORGANISER, language="en")
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, desk)
    for address in (list_url(Contest), "/admin/race-day/"):
        browser.go(f"{line.url}{address}")
        browser.find("main table")
        until(lambda: browser.run(_UNNAMED) == 0, "a name for each table")
        assert browser.run(_NAMES) == []
    elsewhere = Client()
    elsewhere.cookies = desk.client.cookies
    elsewhere.post("/admin/logout/")
    browser.says("#desk-line", "You are signed out: what is shown is old.")
