"""The queue of decisions by keyboard: Enter decides one proposal, whatever is held or pressed
twice.
"""

import pytest
from selenium.webdriver.common.keys import Keys

from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from lototrot.services.races import classification, withdrawals
from lototrot.services.races.classification import Entry
from tests.browser.test_desks_tour import sign_on
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.browser.driver import TERMINAL, Browser, Open, until
from tests.support.browser.line import Line
from tests.support.browser.tasks import task
from tests.support.browser.tour import Looks, languages

_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
_FOCUSED = "return document.activeElement.matches(arguments[0])"


def _proposed() -> list[Proposal]:
    """A classification and two withdrawals, which one person proposed."""
    by = factories.staff(Role.STEWARDS)
    first, second, *_ = factories.races_of(factories.contest())
    factories.started(first)
    numbers = first.runners.values_list("number", flat=True)
    runners = [Entry(n, "winner" if n == 3 else "started", 1 if n == 3 else None) for n in numbers]
    classified = classification.classification_propose(
        by=by,
        race_id=first.pk,
        runners=runners,
        announced_text="Arribada oficial: 3.",
        author="Jutge",
        announced_at=factories.time_pass(minutes=3),
    )
    for number in (4, 5, 6):
        withdrawals.withdrawal_enter(by=by, race_id=second.pk, number=number, source="Vet")
    return [classified, *Proposal.objects.filter(kind="lototrot.withdrawal").order_by("pk")]


def _decided() -> list[str]:
    proposed = Decision.objects.exclude(decided_by__username="").order_by("pk")
    kinds = ("lototrot.classification", "lototrot.withdrawal")
    rows = proposed.filter(proposal__kind__in=kinds)
    return list(rows.values_list("verdict", flat=True))


def _ready(browser: Browser) -> None:
    """Read to the end, and wait until Enter would confirm."""
    browser.keys("End")
    until(lambda: browser.run(_FOCUSED, "[data-confirm]:enabled"), "Enter to confirm")


def _hold_enter(browser: Browser) -> None:
    """Press Enter as a browser does while the key stays down."""
    for _ in range(3):
        browser.devtools("Input.dispatchKeyEvent", type="keyDown", autoRepeat=True, **_ENTER)


@pytest.mark.article("14.III.5.4.1")
@pytest.mark.parametrize("language", languages("ca"))
def test_what_waits_is_decided_by_enter_one_by_one(
    open_browser: Open, line: Line, language: str
) -> None:
    first, second, third, fourth = _proposed()
    desk = Desk(Role.STEWARDS, language=language)
    browser = open_browser(TERMINAL, language=language)
    looks = Looks(browser, "decisions")
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/")
    looks.stop("today")
    browser.click('a[href$="/admin/decisions/"].main')
    until(lambda: str(first.uuid) in browser.run("return location.href"), "the first")
    _ready(browser)
    looks.stop("classification")
    _hold_enter(browser)  # as if it had confirmed the one before
    assert browser.shows("[data-confirm]:disabled")
    assert not _decided()
    _ready(browser)
    browser.keys("Enter", "Enter")
    until(lambda: str(second.uuid) in browser.run("return location.href"), "the second")
    _ready(browser)
    assert _decided() == ["confirmed"]
    looks.stop("withdrawal")
    browser.keys(Keys.DELETE)
    assert browser.run(_FOCUSED, "input[name=reason]")
    looks.stop("reason")
    browser.keys(*"Not 4", "Enter")
    until(lambda: str(third.uuid) in browser.run("return location.href"), "the third")
    assert _decided() == ["confirmed", "rejected"]
    _ready(browser)
    before = browser.acts
    with task(browser, "decide", f'[data-decision="{fourth.uuid}"]'):
        browser.keys("Enter")
        browser.find(f'[data-decision="{fourth.uuid}"]')
        assert browser.acts - before == 1
    assert _decided() == ["confirmed", "rejected", "confirmed"]
    _ready(browser)
    browser.keys("ArrowRight")
    browser.find("main .house-empty")
    looks.stop("left")
    assert len(_decided()) == 3
    looks.end()


def test_the_queue_follows_what_others_do(open_browser: Open, line: Line) -> None:
    """A decision of another person is said where it is read, and Enter opens what arrives."""
    first, *others = _proposed()
    desk, other = Desk(Role.STEWARDS, language="en"), Desk(Role.STEWARDS, language="en")
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/decisions/")
    browser.says("[data-position]", "1 of 4")
    for proposal in others:
        other.do(proposal, "confirm")
    browser.says("[data-position]", "1 of 1")
    browser.click("[data-reject] summary")
    browser.find("input[name=reason]").send_keys("half a sen")
    other.do(first, "confirm")
    browser.says("[data-gone]", "Confirmed already by")
    assert browser.run("return document.activeElement.value") == "half a sen"
    browser.click("[data-later]")
    browser.says("[data-queue]", "Nothing waits")
    by, race_id = factories.staff(Role.STEWARDS), others[0].content["race"]
    withdrawals.withdrawal_enter(by=by, race_id=race_id, number=2, source="Vet")
    browser.says("[data-queue]", "1 proposal waits")
    browser.keys("Enter")
    browser.says("[data-position]", "1 of 1")
    assert not browser.complaints()


def test_a_page_without_a_connection_says_so(open_browser: Open, line: Line) -> None:
    """Both pages of the queue stood there as if a decision could arrive."""
    _proposed()
    desk = Desk(Role.STEWARDS, language="en")
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, desk)
    for address in ("decisions/", "decisions/?after=999999999"):
        browser.go(f"{line.url}/admin/{address}")
        line.cut()
        browser.says("[data-lost]:not([hidden])", "No connection")
        line.mend()
        until(lambda: browser.run("return document.querySelector('[data-lost]').hidden"), "a line")


def test_nothing_is_confirmed_before_it_could_be_read(open_browser: Open, line: Line) -> None:
    """In a window that is too low for the whole classification, its end must be seen first."""
    _proposed()
    desk = Desk(Role.STEWARDS, language="en")
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, desk)
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        width=1000,
        height=420,
        deviceScaleFactor=1,
        mobile=False,
    )
    browser.go(f"{line.url}/admin/decisions/")
    browser.says("[data-notice]", "Read on to the end")
    browser.keys("Enter", "Enter")
    assert browser.shows("[data-confirm]:disabled")
    while not browser.run(
        "return scrollY + innerHeight >= document.documentElement.scrollHeight - 2"
    ):
        browser.keys("Space")
    _ready(browser)
    assert not _decided()
    browser.keys("Enter")
    until(_decided, "the decision")
