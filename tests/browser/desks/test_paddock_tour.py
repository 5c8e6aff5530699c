"""The stewards' page on a tablet, by touch and by keyboard: a horse out, a start, a result."""

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.running import Withdrawal
from tests.browser.test_desks_tour import sign_on
from tests.support import factories
from tests.support.admin_desk import Desk, confirm_pending
from tests.support.browser.driver import Browser, Open, Size, until
from tests.support.browser.line import Line
from tests.support.browser.tour import PICTURED, Tour

UPRIGHT, ACROSS = Size(768, 1024, touch=True), Size(1024, 768, touch=True)
_LOOKS = [("768x1024", UPRIGHT, False, "ca"), ("1024x768", ACROSS, True, "es")]
if PICTURED:
    _LOOKS += [("768x1024", UPRIGHT, True, "en"), ("1024x768", ACROSS, False, "en")]
    _LOOKS += [("768x1024", UPRIGHT, True, "es"), ("1024x768", ACROSS, False, "ca")]
# What is touched on the page, without the theme's bar above it.
_LOW = """
return [...document.querySelectorAll("#desk :is(a, button, input:not([type=hidden])), main h2 a")]
  .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44)
  .map((e) => e.outerHTML.slice(0, 90));
"""
_SCROLLS_ASIDE = """
const {scrollWidth, clientWidth} = document.documentElement;
return scrollWidth > clientWidth || [...document.querySelectorAll("#desk *")]
  .some((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible");
"""


def _fits(browser: Browser) -> None:
    assert browser.run(_LOW) == []
    assert not browser.run(_SCROLLS_ASIDE)


@pytest.mark.article("14.III.5.3", "14.III.5.4.1")
@pytest.mark.parametrize(("name", "size", "dark", "language"), _LOOKS)
def test_a_race_is_run_from_the_paddock(
    open_browser: Open, line: Line, name: str, size: Size, dark: bool, language: str
) -> None:
    contest = factories.contest(factories.meeting(numbers=range(1, 19)))
    race = factories.races_of(contest)[0]
    desk = Desk(Role.STEWARDS, language=language)
    browser = open_browser(size, dark=dark, language=language)
    tour = Tour(browser, "paddock", name, dark)
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/paddock/")
    assert len(browser.all(".paddock-runners .cloth")) == 18
    _fits(browser)
    tour.stop("before")
    browser.click('a[href*="/withdraw/"][href$="number=4"]')  # by touch
    browser.type("#id_source", "Vet")
    browser.keys("Enter")
    browser.click(".house-buttons button[name=do]")
    until(lambda: browser.shows(".paddock-runners .withdrawn"), "the horse to be struck")
    assert Withdrawal.objects.get().number == 4
    _fits(browser)
    tour.stop("withdrawn")
    confirm_pending("lototrot.withdrawal", Role.STEWARDS)
    factories.time_pass(minutes=1)
    factories.started(race)
    factories.time_pass(minutes=3)
    browser.reload()
    browser.tab_to("input[name=winners]")  # by keyboard
    browser.keys("7", "Enter")
    browser.find("#id_winners")
    assert browser.run("return document.querySelector('#id_winners').value") == "7"
    tour.stop("result")
    browser.type("#id_announced_text", "Arribada oficial: 7.")
    browser.type("#id_author", "Jutge")
    browser.click(".house-buttons button")
    browser.click(".house-buttons button[name=do]")
    browser.find(".paddock-waiting")
    proposed = Proposal.objects.get(kind="lototrot.classification", decision=None)
    assert [e["number"] for e in proposed.content["runners"] if e["outcome"] == "winner"] == [7]
    factories.classified(factories.races_of(contest)[1], [12])
    browser.reload()
    _fits(browser)
    tour.stop("waiting")
    tour.end()


def test_what_a_person_types_is_not_taken_away_by_news(open_browser: Open, line: Line) -> None:
    races = factories.races_of(factories.contest())
    factories.started(races[0])
    desk = Desk(Role.STEWARDS, language="en")
    browser = open_browser(ACROSS, language="en")
    browser.hurry()
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}/admin/paddock/")
    browser.type("input[name=winners]", "1")
    factories.withdrawal(races[0], 4)
    asked = "return performance.getEntriesByName(arguments[0]).length"
    part = browser.run(
        "return new URL(document.querySelector('#desk').dataset.part, location).href"
    )
    before = browser.run(asked, part)
    until(lambda: browser.run(asked, part) > before + 1, "the page to ask again")
    assert browser.run("return document.querySelector('input[name=winners]').value") == "1"
    assert not browser.shows(".paddock-runners .withdrawn")
    browser.run("document.activeElement.blur()")
    browser.find(".paddock-runners .withdrawn")
