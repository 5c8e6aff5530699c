"""The board from the first sale to the settlement, in every size: it follows by itself, and what
it says is what is stored.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext

from core.receipts.formats import format_moment
from core.screens import live
from lototrot import accounts
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services.settlement.settling import contest_settle
from tests.support import emitting, factories, rounds
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, Size, until
from tests.support.browser.line import Line
from tests.support.browser.tour import MOVED, PICTURED, SHOTS, SIZES, Tour, languages
from tests.support.lototrot import told_programme

NUMBERS = tuple(range(1, 10))
LOOKS = [
    ("phone", False, "ca"),
    ("terminal", False, "en"),
    ("terminal", True, "es"),
]
OLD_AFTER_S = 12
WALLS = [Size(1280, 720), Size(1920, 1080), Size(3840, 2160), Size(1080, 1920)]
# What is cut off below or beside the window, or has more in it than it shows.
_CUT = """
const shown = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".heard"));
const box = (e) => e.getBoundingClientRect();
const tail = Math.min(innerWidth, innerHeight) / 60;  // of a comma in large letters
const hidden = (e) => e.clientHeight && e.scrollHeight > e.clientHeight + tail
  && getComputedStyle(e).display !== "inline";
return shown.filter((e) => box(e).bottom > innerHeight + 1 || box(e).right > innerWidth + 1
  || hidden(e)).map((e) => e.outerHTML.slice(0, 100));
"""

# Names of races and horses that are cut, and horses that reach over the next one.
_SHORT = """
const cut = [...document.querySelectorAll(".wall-card h3, .wall-legs .name, .wall-runners .name")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1);
const over = [...document.querySelectorAll(".wall-runners .who")]
  .filter((e) => e.offsetHeight > e.parentElement.offsetHeight + 1);
return [...cut, ...over].map((e) => e.outerHTML.slice(0, 120));
"""
# What is set as large as the pot, or larger.
_AS_LARGE = """
const size = (e) => parseFloat(getComputedStyle(e).fontSize);
const pot = size(document.querySelector(".pot"));
const says = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
return [...document.querySelectorAll("main *")]
  .filter((e) => e.checkVisibility() && !e.matches(".pot") && says(e) && size(e) >= pot)
  .map((e) => e.outerHTML.slice(0, 100));
"""

_INK = "return getComputedStyle(document.body).color"
# Words that have kept a colour.
_IN_COLOUR = """
return [...document.querySelectorAll("main *")]
  .filter((e) => getComputedStyle(e).color === arguments[0]).map((e) => e.outerHTML.slice(0, 100));
"""
# A grid keeps its height where a card goes to the next page, and lays what follows over it.
_ON_PAPER = """
const style = (e, name) => getComputedStyle(e)[name];
const around = (e) => e === document.body ? [] : [e, ...around(e.parentElement)];
const all = (selector) => [...document.querySelectorAll(`main ${selector}`)];
const isGrid = (e) => style(e, "display") !== "block";
return [
  ...all(".card").flatMap((e) => around(e.parentElement)).filter(isGrid),
  ...all(".cloth").filter((e) => style(e, "printColorAdjust") !== "exact"),
  ...all("details > :not(summary)").filter((e) => !e.checkVisibility()),
].map((e) => e.outerHTML.slice(0, 120));
"""


@pytest.fixture
def published(tmp_path: Path, settings: Any) -> Iterator[None]:
    settings.VAR_DIR = tmp_path
    return


def contest_on_sale() -> Contest:
    factories.time_to(rounds.NOON)
    contest = told_programme.contest(NUMBERS, rules=rounds.record(rounds.rules()))
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


@pytest.fixture
def tours(open_browser: Open, line: Line, published: None) -> list[Tour]:
    """Return a way on the board in each look, all on the day of one contest that is on sale."""
    contest_on_sale()
    emission = emitting.opened(emitting.small())
    live.prepare()
    live.publish(live.folder())
    ways = []
    for size, dark, language in LOOKS:
        browser = open_browser(SIZES[size], dark=dark, language=language)
        browser.hurry()
        browser.go(f"{line.url}/?lang={language}")
        browser.find(".race .runner")
        browser.find(".race .withdrawn")
        assert browser.run_async(MOVED) < 0.05  # no section pushes another out of view
        text = browser.run("return document.querySelector('.promotrot').innerText")
        assert emission.reference in text
        ways.append(Tour(browser, "board", size, dark))
    return ways


def stop_each(tours: list[Tour], name: str) -> None:
    for tour in tours:
        tour.stop(name)


@pytest.mark.article("14.III.5.2", "14.III.6.2", "14.III.5.3")
def test_a_race_day_on_the_boards(line: Line, tours: list[Tour]) -> None:
    contest = Contest.objects.get()
    browsers = [tour.browser for tour in tours]
    stop_each(tours, "on-sale")
    for browser in browsers:
        assert browser.run(_AS_LARGE) == []
        assert browser.shows('.bar a[href="/coupon"]')  # on a phone before all
        turns_dark_and_light(browser)
    stop = desk.stop(contest, race=1)
    live.publish(live.folder())
    for browser in browsers:
        browser.find(".badge.bad")
    stop_each(tours, "stopped")
    desk.lift(stop)
    live.publish(live.folder())
    for browser in browsers:
        browser.gone(".badge.bad")

    factories.time_to(contest.scheduled_close_at)
    rounds.run(contest, facts())
    contest.refresh_from_db()
    live.publish(live.folder())
    for browser in browsers:
        browser.find(".race.arrived .won")
        assert not browser.shows(".alive")  # a result is shown at once, what it leaves when counted
    live.prepare()
    live.publish(live.folder())
    for browser in browsers:
        browser.find(".alive")
    settlement = contest_settle(contest_id=contest.pk)
    live.publish(live.folder())
    for browser in browsers:
        explained(browser, settlement)
        assert browser.run(_AS_LARGE) == []
    for tour in tours:
        on_paper(tour.browser, dark=tour.dark)
    stop_each(tours, "settled")
    line.cut()
    for browser in browsers:
        browser.offline(True)
        browser.pass_time(seconds=OLD_AFTER_S)
        browser.find("#old:not([hidden])")
    stop_each(tours, "line-lost")
    for tour in tours:
        # A request that finds no line, or one just cut, is said in the console, and rightly so.
        tour.wrong[:] = [each for each in tour.wrong if "net::ERR_" not in each]
        tour.end()


def on_paper(browser: Browser, *, dark: bool) -> None:
    """Cards do not lie over each other, cloths have their colours, and nothing is folded."""
    browser.look(dark=dark, media="print")
    assert browser.run(_ON_PAPER) == []
    browser.look(dark=dark)


def turns_dark_and_light(browser: Browser) -> None:
    """Nothing keeps the ink of the day when the page turns dark in the evening, nor that of the
    night in the morning, for who asks for less motion.
    """
    of_now = browser.run("return matchMedia('(prefers-color-scheme: dark)').matches")
    for dark in (not of_now, of_now) * 3:
        ink = browser.run(_INK)
        browser.look(dark=dark)
        assert browser.run(_INK) != ink
        assert browser.run(_IN_COLOUR, ink) == []


def explained(browser: Browser, settlement: Settlement) -> None:
    """The board's explanation has the settlement's sums."""
    browser.find(".explained summary")
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    text = browser.run("return document.querySelector('.explained').innerText")
    digits = "".join(c for c in text if c.isdigit())
    figures = settlement.figures
    headline = (figures["takings"], figures["prize_pool"], figures["jackpot_out"])
    for cents in (*headline, *figures["prize_each"].values()):
        assert str(cents) in digits


def whole(browser: Browser, tour: Tour, scene: str) -> None:
    """The scene fills every screen, is cut off on none, and every race is there with its number."""
    browser.find(f".scene.{scene}")
    until(lambda: browser.run("return !document.getAnimations().length"), "the scene to stand")
    for size in WALLS:
        browser.resize(size)
        until(lambda: not browser.run(_CUT), f"{scene} at {size.width}x{size.height} to fit")
        assert browser.run(_SHORT) == []
        if PICTURED:
            name = f"{scene}-{size.width}x{size.height}-{browser.language}"
            browser.screenshot(SHOTS / f"wall-{name}.png")
    browser.resize(SIZES["wall"])
    tour.stop(scene)


@pytest.mark.usefixtures("published")
@pytest.mark.article("14.III.5.2", "14.III.6.2")
@pytest.mark.parametrize("language", languages("ca"))
def test_the_wall_shows_what_matters_before_during_and_after_the_races(
    open_browser: Open, line: Line, language: str
) -> None:
    contest = contest_on_sale()
    emitting.opened(emitting.small())
    live.prepare()
    live.publish(live.folder())
    browser = open_browser(SIZES["wall"], language=language)
    browser.hurry()
    tour = Tour(browser, "wall", "wall", sizes=["wall"])
    browser.go(f"{line.url}/?lang={language}&wall")
    whole(browser, tour, "before")
    browser.find(".wall-runners .share")
    with translation.override(language):
        browser.says(".wall-legs", gettext("withdrawn: {numbers}").format(numbers=4))
    browser.keys("ArrowRight")
    browser.find(".scene.games .wall-game")
    tour.stop("games")

    factories.time_to(contest.scheduled_close_at)
    rounds.run(contest, facts())
    live.prepare()
    live.publish(live.folder())
    browser.find(".scene.during .wall-table")
    winners = "return [...document.querySelectorAll('.wall-tile .winners')].map(e => e.innerText)"
    assert browser.run(winners) == ["2", "3", "5", "5", "6", "7", "8"]
    whole(browser, tour, "during")

    settlement = contest_settle(contest_id=contest.pk)
    live.publish(live.folder())
    whole(browser, tour, "after")
    table = browser.run("return document.querySelector('.wall-table').innerText")
    digits = "".join(c for c in table if c.isdigit())
    assert all(str(cents) in digits for cents in settlement.figures["prize_each"].values())
    line.cut()
    browser.offline(True)
    browser.pass_time(seconds=OLD_AFTER_S)
    browser.find("#old:not([hidden])")
    whole(browser, tour, "after")
    tour.wrong[:] = [each for each in tour.wrong if "net::ERR_" not in each]
    tour.end()


@pytest.mark.usefixtures("published")
@pytest.mark.article("15.III.5.2", "15.III.6.2")
def test_the_wall_says_of_each_game_from_when_its_figures_are(
    open_browser: Open, line: Line
) -> None:
    """[P20]: the moment of the first stood under the prizes left of all."""
    instants = []
    for game in ("one", "two", "three", "four"):
        emission = emitting.opened(emitting.small(game))
        instants.append(format_moment(emission.opening.opened_at, "en")[-8:-3])
        factories.time_pass(minutes=61)
    live.prepare()
    live.publish(live.folder())
    browser = open_browser(SIZES["wall"], language="en")
    browser.hurry()
    browser.go(f"{line.url}/?lang=en&wall")
    browser.find(".scene.games .wall-game")
    cards = [card.text for card in browser.all(".scene.games .wall-game")]
    assert [time in card for time, card in zip(instants, cards, strict=True)] == [True] * 4
    for size in WALLS:
        browser.resize(size)
        until(lambda: not browser.run(_CUT), "the games to fit")
