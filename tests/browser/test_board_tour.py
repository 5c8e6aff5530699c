"""The board from the first sale to the settlement, in every size: it follows by itself, and what
it says is what is stored."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.screens import live
from lototrot import accounts
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.services.settlement.settling import contest_settle
from tests.support import emitting, factories, rounds
from tests.support.browser import desk
from tests.support.browser.driver import Open
from tests.support.browser.line import Line
from tests.support.browser.tour import SIZES, Tour

NUMBERS = tuple(range(1, 10))
LOOKS = [
    ("phone", False, "ca", ""),
    ("terminal", False, "en", ""),
    ("terminal", True, "es", ""),
    ("wall", False, "ca", "&wall"),
]


@pytest.fixture
def published(tmp_path: Path, settings: Any) -> Iterator[None]:
    settings.VAR_DIR = tmp_path
    return


def contest_on_sale() -> Contest:
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [NUMBERS] * 7)
    desk.shop(contest)
    rng = random.Random(7)
    tickets = [
        tuple(sum(1 << n - 1 for n in rng.sample(NUMBERS, rng.choice((1, 2)))) for _ in range(7))
        for _ in range(300)
    ]
    rounds.fund(accounts.jackpot("lototrot"), 12_345_67)
    rounds.sell(contest, factories.point(), tickets)
    factories.withdrawal(factories.races_of(contest)[2], 4)
    return contest


def facts() -> list[Race]:
    """Return the results of the races; in the third, number 4 had been withdrawn."""
    return [
        Race(programme=NUMBERS, winners=frozenset({winner}), outcome=Outcome.RUN)
        for winner in (2, 3, 5, 5, 6, 7, 8)
    ]


@pytest.mark.parametrize(("size", "dark", "language", "query"), LOOKS)
@pytest.mark.usefixtures("published")
@pytest.mark.article("14.III.5.2", "14.III.6.2", "14.III.5.3")
def test_a_race_day_on_the_board(
    open_browser: Open, line: Line, size: str, dark: bool, language: str, query: str
) -> None:
    contest = contest_on_sale()
    emission = emitting.opened(emitting.small())
    live.publish(live.folder())
    browser = open_browser(SIZES[size], dark=dark, language=language)
    tour = Tour(browser, "board", size, dark)
    browser.go(f"{line.url}/?lang={language}{query}")
    browser.find(".race .runner")
    browser.find(".race .withdrawn")
    told = browser.run("return document.querySelector('.promotrot').innerText")
    assert emission.reference in told
    tour.stop("on-sale")

    stop = desk.stop(contest, race=1)
    live.publish(live.folder())
    browser.find(".badge.bad")
    tour.stop("stopped")
    desk.lift(stop)
    live.publish(live.folder())
    browser.gone(".badge.bad")

    rounds.run(contest, facts())
    contest.refresh_from_db()
    live.publish(live.folder())
    browser.find(".race .won")
    assert not browser.shows(".alive")  # a result is shown at once, what it leaves when counted
    live.prepare()
    live.publish(live.folder())
    browser.find(".alive")
    settlement = contest_settle(contest_id=contest.pk)
    live.publish(live.folder())
    if not query:
        browser.find(".explained summary")
        browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        text = browser.run("return document.querySelector('.explained').innerText")
        digits = "".join(c for c in text if c.isdigit())
        figures = settlement.figures
        shown = (figures["takings"], figures["prize_pool"], figures["jackpot_out"])
        for cents in (*shown, *figures["prize_each"].values()):
            assert str(cents) in digits
    tour.stop("settled")
    line.cut()
    browser.offline(True)
    browser.find("#old:not([hidden])")
    tour.stop("line-lost")
    # A request that finds no line is said in the console, and rightly so.
    tour.wrong[:] = [each for each in tour.wrong if "ERR_INTERNET_DISCONNECTED" not in each]
    tour.end()
