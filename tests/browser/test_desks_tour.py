"""The office's desk by keyboard alone, and the pages of the administration, looked at."""

import pytest
from django.conf import settings

from core.nights.models import JobRun
from core.payoffice.models import CashSession, Payment
from core.payoffice.services.cash import cash_open
from core.staff.models import Proposal, User
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from core.statements.models import GuaranteeLimit
from lototrot.models.tickets import Ticket
from tests.support import factories, paying
from tests.support.admin_desk import Desk, act_url, list_url, race_day, row_url
from tests.support.browser.desk import scan
from tests.support.browser.driver import TERMINAL, Browser, Open, until
from tests.support.browser.line import Line
from tests.support.browser.staff import person
from tests.support.browser.tasks import task
from tests.support.browser.tour import LOOKS, SIZES, Looks, Tour, languages, look

# The roles that one person may hold together; each of the others is held alone.
WORKING = (Role.ORGANISER, Role.STEWARDS, Role.SUPERVISOR, Role.CASHIER)

# Names in the head of the page that are cut, or lie over each other.
_CUT = """
return [...document.querySelectorAll("header h1, header h1 a")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
  .map((e) => e.textContent.trim());
"""
# Documents in a page that have no room: nothing of them is seen.
_SQUEEZED = """
return [...document.querySelectorAll("#content .house-document")]
  .filter((e) => e.checkVisibility() && e.closest(".readonly")?.getBoundingClientRect().width < 40)
  .map((e) => e.textContent.slice(0, 80));
"""


# How much of the window's height an element takes.
_PART = """
return document.querySelector(arguments[0]).getBoundingClientRect().height / innerHeight;
"""
# Controls that would be on the paper of a page.
_CONTROLS = """
const most = "button, input[type=search], .desk-button, .desk-choice, [role=search]";
return [...document.querySelectorAll(`main :is(${most})`)]
  .filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 120));
"""


def sign_on(browser: Browser, url: str, desk: Desk) -> None:
    """Take over the session of a person who has signed on."""
    cookie = desk.client.cookies[settings.SESSION_COOKIE_NAME].value
    browser.forget()
    browser.go(f"{url}/admin/login/")
    browser.run(f"document.cookie = '{settings.SESSION_COOKIE_NAME}={cookie}; path=/'")


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize("language", languages("en"))
def test_prizes_are_paid_at_the_office_by_keyboard_alone(
    open_browser: Open, line: Line, language: str
) -> None:
    won = paying.settled(1, losers=1)[0]
    large, cheque, nothing = paying.worth(232_10, 1_532_40, 0)
    desk = Desk(Role.CASHIER, language=language)
    by = actor_of(session_start(user=desk.person, verified=True)[0])
    cash_open(by=by, premises=paying.office().code, float_cents=1_000_00)
    browser = open_browser(TERMINAL, language=language)
    looks = Looks(browser, "office")
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/office/")
    browser.find("#office-code")
    looks.stop("empty")
    before = browser.acts
    paid = '.office-state a[href$=".pdf"]'
    with task(browser, "office", ".office-state.good", paid):
        scan(browser, large.code)
        browser.find(".office-state.good")
        looks.stop("prize")
        browser.keys("Space", "Enter")  # the paper agrees; pay
        assert browser.acts - before == 3
        until(Payment.objects.exists, "the payment")
        browser.find(paid)
    looks.stop("paid")
    browser.keys("Escape")
    assert browser.run("return document.activeElement.id") == "office-code"
    for code, name in ((large.code, "again"), (cheque.code, "cheque"), (nothing.code, "nothing")):
        browser.keys("Escape", *code, "Enter")
        browser.find(".office-state")
        looks.stop(name)
    browser.keys("Escape", *won.code, "Enter")
    browser.find(".office-reasons summary").click()
    looks.stop("why")
    browser.keys("Escape", *"1111-2222-3333-4444-5555-6666", "Enter")
    browser.find(".office-state.bad")
    looks.stop("unknown")
    assert Payment.objects.count() == 1
    browser.go(f"{line.url}{act_url(CashSession.objects.get(), 'close')}")
    browser.find("#id_pieces_20000").send_keys("3")
    until(lambda: "600" in browser.find("#live").text, "the sum")
    looks.stop("count")
    looks.end()


@pytest.mark.parametrize("language", languages("en"))
def test_premises_are_offered_while_their_name_is_typed(
    open_browser: Open, line: Line, language: str
) -> None:
    places = [factories.premises() for _ in range(3)]
    browser = open_browser(TERMINAL, language=language)
    looks = Looks(browser, "premises")
    sign_on(browser, line.url, Desk(Role.ORGANISER, language=language))
    browser.go(f"{line.url}{act_url(GuaranteeLimit, 'set')}")
    browser.find("#id_premises").send_keys(places[1].code)
    offered = 'return [...document.querySelectorAll("datalist option")].map((o) => o.value)'
    until(lambda: browser.run(offered) == [str(places[1])], "the premises")
    looks.stop("typed")
    browser.go(line.url + list_url(type(places[0])))
    for place in places:
        browser.find(f"input[name=row][value='{place.pk}']").click()
    browser.find("[data-count]")
    looks.stop("chosen")
    look(browser, "phone", dark=False)
    assert browser.run(_PART, "#chosen") < 0.15, "the bar covers the rows that are chosen"
    look(browser, "terminal", dark=False)
    browser.find("#chosen [value=suspend_chosen]").click()
    until(lambda: places[0].name in browser.find("#live").text, "the premises")
    looks.stop("together")
    looks.end()


@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_the_administration(
    open_browser: Open, line: Line, size: str, dark: bool, language: str
) -> None:
    day = race_day()
    factories.proposal()
    working = Desk(*WORKING, language=language)
    administrator = Desk(Role.ADMINISTRATOR, language=language)
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "admin", size, dark)
    browser.go(f"{line.url}/admin/")
    browser.find("#id_code")
    tour.stop("sign-on")
    newcomer = person(browser, line.url, Role.AUDITOR, has_device=False, has_given_password=True)
    newcomer.sign_on(code="")
    browser.find("#id_password_again")
    tour.stop("first-password")
    newcomer.set_own_password()
    browser.find(".house-secret")
    tour.stop("second-factor")
    newcomer.fill("code", "000000")
    browser.keys("Enter")
    browser.find(".house-refusal")
    tour.stop("second-factor-refused")
    working_pages = {
        "index": "/admin/",
        "reports": "/admin/reports/",
        "report": "/admin/reports/payments/",
        "nights": list_url(JobRun),
        "contests": list_url(type(day.contest)),
        "contest": row_url(day.contest),
        "settlement": row_url(day.settlement),
        "race": row_url(factories.races_of(day.contest)[0]),
        "racecourse": row_url(factories.races_of(day.contest)[0].racecourse),
        "proposals": list_url(Proposal),
        "premises": row_url(day.point.premises),
        "password": "/admin/password_change/",
    }
    audited_pages = {
        "tickets": list_url(Ticket),
        "ticket": row_url(Ticket.objects.latest("pk")),
    }
    administration_pages = {
        "administrator": "/admin/",
        "user": row_url(working.person),
        "open-account": act_url(User, "create"),
    }
    desks = (
        (working, working_pages),
        (Desk(Role.AUDITOR, language=language), audited_pages),
        (administrator, administration_pages),
    )
    for desk, pages in desks:
        sign_on(browser, line.url, desk)
        for name, url in pages.items():
            browser.go(line.url + url)
            browser.find("main, #main, #content")
            assert browser.run("return document.documentElement.lang.slice(0, 2)") == language
            assert browser.run(_CUT) + browser.run(_SQUEEZED) == [], name
            tour.stop(name)
    tour.end()


def test_a_list_is_filtered_by_keyboard(open_browser: Open, line: Line) -> None:
    """The choices stand in a sheet at the side, which also keeps the days that were asked for."""
    day = race_day()
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, Desk(Role.AUDITOR, language="en"))
    contests = line.url + list_url(type(day.contest))
    browser.go(f"{contests}?day__gte=2026-01-01")
    button = "main a[x-on\\:click]:not([href])"
    browser.tab_to(button)
    inside = "return Boolean(document.activeElement.closest('#changelist-filter'))"
    for key in ("Enter", "Space"):
        browser.keys(key)
        browser.find("#changelist-filter a")
        until(lambda: browser.run(inside), "the focus in the sheet")
        browser.keys("Escape")
        browser.gone("#changelist-filter a")
        focused = browser.run("return document.activeElement.matches(arguments[0])", button)
        assert focused, "the focus is back at the button"
    browser.keys("Enter")
    browser.tab_to('#changelist-filter a[href$="state__exact=draft"]')
    browser.keys("Enter")
    until(lambda: "state__exact=draft" in browser.run("return location.search"), "the list")
    assert "day__gte=2026-01-01" in browser.run("return location.search")
    assert not browser.complaints()


def test_a_printed_page_has_no_controls(open_browser: Open, line: Line) -> None:
    race_day()
    browser = open_browser(TERMINAL, language="ca")
    sign_on(browser, line.url, Desk(Role.ORGANISER, language="ca"))
    for url in ("/admin/race-day/", list_url(Proposal)):
        browser.look(dark=False)
        browser.go(f"{line.url}{url}")
        browser.find("main")
        assert browser.run(_CONTROLS)
        browser.look(dark=False, media="print")
        assert browser.run(_CONTROLS) == [], url
