"""The forms of games in a real browser: shares, blocks and chances while they are filled in."""

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.models.game import GameVersion
from tests.browser.test_desks_tour import sign_on
from tests.support import emitting
from tests.support.admin_desk import Desk, act_url
from tests.support.browser.driver import Open, until
from tests.support.browser.line import Line
from tests.support.browser.tour import LOOKS, SIZES, Tour

_TYPED = """
for (const [name, value] of Object.entries(arguments[0])) {
  const field = document.querySelector(`main [name="${name}"]`);
  field.value = value;
  field.dispatchEvent(new Event("input", {bubbles: true}));
}
"""
# Tables that are wider than their place, and so cut where nobody scrolls them.
_CUT = """
return [...document.querySelectorAll(arguments[0])]
  .filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => `${e.id || e.className} ${e.scrollWidth} in ${e.clientWidth}`);
"""


@pytest.mark.article("15.II.2")
@pytest.mark.article("15.II.3")
@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
def test_games_of_both_kinds_are_prepared(
    open_browser: Open, line: Line, size: str, dark: bool, language: str
) -> None:
    drawn = emitting.recorded(emitting.document("six-at-the-post"))
    ladder = emitting.recorded(emitting.document("trotters-ladder"))
    desk = Desk(Role.ORGANISER, language=language)
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "game", size, dark)
    sign_on(browser, line.url, desk)

    browser.go(line.url + act_url(GameVersion, "predrawn"))
    browser.find("#live p")
    assert browser.shows("#id_cash_0") and not browser.shows("#id_cash_1")
    assert browser.shows("#id_sign_0") and not browser.shows("#id_word_0")
    browser.run(_TYPED, {"cash_0": "100"})
    until(lambda: browser.shows("#id_cash_1"), "the next line")
    tour.stop("empty")

    browser.go(line.url + act_url(drawn, "copy-predrawn"))
    browser.find("#live table")
    assert browser.shows("#id_common_0") and not browser.shows("#id_sign_0")
    browser.run(_TYPED, {"count_4": "13999", "code": "sis"})
    browser.find("#id_cash_0_fault")
    assert "70 %" in browser.text("#id_cash_0_fault")
    tour.stop("fault")
    browser.run(_TYPED, {"count_4": "15500"})
    until(lambda: not browser.shows("#id_cash_0_fault"), "the sums without a fault")
    tour.stop("pre-drawn")
    browser.click(".house-buttons button[type=submit]")
    browser.find(".house-buttons button[name=do]")
    tour.stop("confirmed")
    assert size == "phone" or browser.run(_CUT, ".house-scroll") == []
    browser.click(".house-buttons button[name=do]")
    until(Proposal.objects.filter(kind="promotrot.game", decision=None).exists, "the proposal")

    browser.go(line.url + act_url(ladder, "copy-probabilistic"))
    browser.find("#live table")
    assert browser.shows("#id_from_0") and not browser.shows("#id_weight_0")
    tour.stop("probabilistic")
    assert size == "phone" or browser.run(_CUT, "#live") == []
    tour.end()
