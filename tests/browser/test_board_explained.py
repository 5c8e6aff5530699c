"""The settlement as the board explains it is the signed certificate's, figure by figure."""

from collections.abc import Mapping
from typing import Any

import pytest

from core.kernel.languages import LANGUAGES
from core.ledger.services import balance_cents
from core.proofs import log
from core.screens import live
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.selectors.board import board_document
from lototrot.services.settlement.certificate import certificate_in_force
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories, rounds
from tests.support.browser import desk
from tests.support.browser.driver import FIRST_LOAD_BYTES, Browser, Open
from tests.support.browser.line import Line
from tests.support.explaining import Certified, Step

NUMBERS = (1, 2, 3)
WINNER = 1
# By code of a bet type: bets by how many races they have right; money that was there before.
CASES: dict[str, tuple[Mapping[int, int], Mapping[str, int]]] = {
    "normal": ({7: 1, 6: 2, 5: 4, 4: 7, 3: 1201}, {"jackpot": 5_000_01, "reserve": 77_77}),
    "carried": ({6: 1, 5: 2, 4: 7, 0: 90}, {"jackpot": 149_999_99, "lapsed": 12_34}),
    "cascade": ({7: 2, 5: 1, 2: 50}, {"reserve": 1_00, "lapsed": 5_00}),
    "halved": ({7: 1, 6: 1, 5: 2, 4: 2, 1: 30}, {}),
    "joined": ({7: 1, 6: 10, 5: 1, 4: 2, 3: 333}, {"jackpot": 160_000_00}),
    "nobody": ({3: 11}, {"jackpot": 1}),
}
_STEPS = """
const place = document.querySelector(`[data-key="explained-${arguments[0]}"]`);
if (!place) return null;
const cell = (each) => each.textContent;
const part = (each) => each.tagName === "P" ? each.textContent
  : [...each.querySelectorAll("tr")].map((row) => [...row.children].map(cell));
return [...place.querySelectorAll(".steps > li > div")].map((step) => [...step.children].map(part));
"""


def settled(code: str) -> Contest:
    """A contest of a bet type of its own, and so with a chain of its own, settled."""
    right, before = CASES[code]
    contest = rounds.contest(rounds.rules(code=code), [NUMBERS] * 7)
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=desk.RULES)
    funds = {
        "jackpot": accounts.jackpot(code),
        "reserve": accounts.reserve(code),
        "lapsed": accounts.lapsed(contest.pk),
    }
    for name, cents in before.items():
        rounds.fund(funds[name], cents)
    bets = [
        rounds.masks([[WINNER]] * many + [[WINNER + 1]] * (7 - many))
        for many, times in right.items()
        for _ in range(times)
    ]
    rounds.sell(contest, factories.point(), bets)
    won = Race(programme=NUMBERS, winners=frozenset({WINNER}), outcome=Outcome.RUN)
    rounds.run(contest, [won] * 7)
    contest_settle(contest_id=contest.pk)
    assert balance_cents(accounts.lapsed(contest.pk)) == 0
    contest.refresh_from_db()
    return contest


def as_certified(contest: Contest) -> dict[str, Any]:
    """The document of the certificate, whose signature holds and which the board refers to."""
    entry = certificate_in_force(contest.pk)
    log.need_sound(entry)
    (contest_on_board,) = [c for c in board_document()["contests"] if c["contest"] == contest.pk]
    assert contest_on_board["proofs"]["certificate"] == entry.sequence
    document: dict[str, Any] = entry.document
    return document


def read(browser: Browser, contest: Contest) -> list[Step]:
    """The steps as shown; spaces that do not break are spaces."""
    steps = browser.run(_STEPS, contest.pk)
    return [[_plain(part) for part in step] for step in steps]


def _plain(part: Any) -> Any:
    if isinstance(part, list):
        return [_plain(each) for each in part]
    return part.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.article("14.III.6.1", "14.III.9.2", "14.III.9.3", "14.III.9.5", "14.III.9.7")
@pytest.mark.article("14.III.9.8", "14.III.10.7")
def test_every_figure_of_the_explanation_is_the_signed_certificates(
    open_browser: Open, line: Line, tmp_path: Any, settings: Any
) -> None:
    settings.VAR_DIR = tmp_path
    factories.time_to(rounds.NOON)
    contests = {code: settled(code) for code in CASES}
    documents = {code: as_certified(contest) for code, contest in contests.items()}
    figures = {code: document["figures"] for code, document in documents.items()}
    # That the cases are what they are called.
    assert not figures["normal"]["correction"]["halved"]
    assert not figures["normal"]["correction"]["joined"]
    assert figures["normal"]["reserve_paid_out"] and figures["normal"]["rounding_remainder"]
    assert figures["carried"]["regime"] == "9.3" and figures["carried"]["jackpot_out"]
    assert figures["cascade"]["unwon_to_reserve"]
    assert figures["halved"]["correction"]["halved"] == [[5, 4]]
    assert not figures["halved"]["correction"]["joined"]
    assert figures["joined"]["correction"]["joined"] == [[6, 5, 4]]
    assert figures["nobody"]["prizes_total"] == 0
    live.publish(live.folder())
    browser = open_browser()
    for language in LANGUAGES:
        browser.go(f"{line.url}/?lang={language}")
        browser.find("article.contest")
        assert sum(browser.first_load().values()) <= FIRST_LOAD_BYTES
        for code, contest in contests.items():
            explained = read(browser, contest)
            assert explained == Certified(documents[code], language).steps(), (code, language)


@pytest.mark.article("14.III.10.7")
def test_the_chart_ends_with_the_pot_of_the_next_meeting(
    open_browser: Open, line: Line, tmp_path: Any, settings: Any
) -> None:
    """That pot counts what lapsed for the meeting. The chart told of a smaller one under it."""
    settings.VAR_DIR = tmp_path
    factories.time_to(rounds.NOON)
    for _ in range(2):
        rounds.ordered(factories.point())
        factories.time_pass(days=1)
    coming = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [NUMBERS] * 2)
    contest_publish(by=factories.staff(Role.ORGANISER), contest=coming, rules=desk.RULES)
    rounds.fund(accounts.lapsed(coming.pk), 12_34)
    live.publish(live.folder())
    browser = open_browser()
    browser.go(f"{line.url}/?lang=ca")
    pot = _plain(browser.text(".pot"))
    assert pot.endswith("€") and pot != "0,00 €"
    assert _plain(browser.text(".legend .figure")) == pot


def test_a_board_says_so_when_nothing_is_published_any_more_and_when_it_is_again(
    open_browser: Open, line: Line, tmp_path: Any, settings: Any
) -> None:
    """Files still come, the line is there, `manage.py live` is not."""
    settings.VAR_DIR = tmp_path
    factories.time_to(rounds.NOON)
    desk.shop()
    live.publish(live.folder())
    browser = open_browser()
    browser.go(f"{line.url}/?lang=en")
    browser.find("#line.good")
    assert not browser.shows("#old")
    browser.find("#line.bad")
    browser.says("#old", "The connection is lost. These figures are of 12:0")
    live.publish(live.folder())
    browser.find("#line.good")
    browser.gone("#old")
    # Opened while nothing has been published for long: said at once, and the time is right.
    factories.time_pass(hours=1)
    browser.go(f"{line.url}/?lang=en")
    browser.find("#line.bad")
    browser.says("#old", "The connection is lost. These figures are of 12:0")
    browser.says("#clock", "13:0")
