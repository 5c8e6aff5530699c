"""The form of a bet type in a real browser: sums and past rounds while it is filled in."""

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import BetType
from tests.browser.test_desks_tour import sign_on
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, act_url
from tests.support.browser.driver import Open, until
from tests.support.browser.line import Line
from tests.support.browser.tour import LOOKS, SIZES, Tour
from tests.support.lototrot.bet_type_form import SIX, typed

_TYPED = """
for (const [name, value] of Object.entries(arguments[0])) {
  const field = document.querySelector(`main [name="${name}"]`);
  field.value = value;
}
document.querySelector("main [name=name]").dispatchEvent(new Event("input", {bubbles: true}));
"""

# The smallest letters of the chart as shown.
_LETTERS_PX = """
const svg = document.querySelector("svg.house-chart");
const grown = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
return Math.min(...[...svg.querySelectorAll("text")]
  .map((e) => e.getAttribute("font-size") * grown));
"""


@pytest.mark.article("14.III.7")
@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_a_bet_type_is_prepared(
    open_browser: Open, line: Line, size: str, dark: bool, language: str
) -> None:
    rounds.settled(factories.point())
    desk = Desk(Role.ORGANISER, language=language)
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "bet-type", size, dark)
    sign_on(browser, line.url, desk)
    browser.go(line.url + act_url(BetType, "prepare"))
    browser.find("#live p")
    tour.stop("empty")
    browser.run(_TYPED, typed(SIX, below_2="85"))
    browser.find("#id_below_2_fault")
    assert "150" in browser.text("#id_below_2_fault")
    tour.stop("fault")
    browser.run(_TYPED, typed(SIX))
    browser.find("#live svg.house-chart")
    assert browser.run(_LETTERS_PX) >= 12
    assert not browser.run("return document.querySelectorAll('.house-fault').length")
    assert not browser.shows("#id_below_6"), "a bet on six races has no such category"
    tour.stop("filled-in")
    browser.click(".house-buttons button[type=submit]")
    browser.find("main svg.house-chart")
    browser.click(".house-buttons button[name=do]")
    until(Proposal.objects.filter(kind="lototrot.bet_type", decision=None).exists, "the proposal")
    tour.stop("proposed")
    tour.end()
