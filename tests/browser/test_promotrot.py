"""Promotrot in a real browser: bought, uncovered by the player's touches, taken up again."""

from collections.abc import Callable
from typing import Any

import pytest

from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open, until
from tests.support.browser.line import Line
from tests.support.browser.tasks import task

DONE = ".stage footer .primary:enabled"


def buy(browser: Browser) -> None:
    browser.click("#tab-promotrot")
    desk.to_play(browser)
    before = browser.acts
    browser.click(".game .buy")
    browser.click("dialog .primary")
    assert browser.acts - before == 2  # and a third uncovers it all
    browser.find(".stage")


def bought(open_browser: Open, line: Line, document: dict[str, Any]) -> Browser:
    """Put a game on sale, and buy a ticket of it at a new terminal."""
    emitting.opened(document)
    browser = open_browser()
    desk.enrol(browser, line.url, desk.shop())
    buy(browser)
    return browser


def to_the_player(browser: Browser, line: Line, language: str) -> None:
    """Open the player's screen, and go on there."""
    browser.window(f"{line.url}/terminal/player/?lang={language}")
    browser.other_window()


def moves(browser: Browser) -> None:
    """A win moves and rosettes fall; nothing moves for who asks for less."""
    moment = """
        const {animationName, animationDuration} = getComputedStyle(
          document.querySelector(".result .moment"));
        const {display} = getComputedStyle(document.querySelector(".result .petals"));
        return [animationName, parseFloat(animationDuration) > 0.1, display !== "none"];
    """
    assert browser.run(moment) == ["moment", False, False]
    browser.look(dark=False, still=False)
    assert browser.run(moment) == ["moment", True, True]
    browser.look(dark=False)


def again(browser: Browser) -> None:
    """Buy another of the same game with one key, and uncover it with one more."""
    before = browser.acts
    with task(browser, "again", ".stage .cell.covered", ".result .state"):
        browser.keys("F9")
        until(lambda: PlayTicket.objects.count() == 2, "the next ticket")
        until(lambda: covered(browser) == 9, "its squares")
        browser.keys("F8")
    assert browser.acts - before == 2
    browser.find(DONE)


def once_more(browser: Browser) -> None:
    """Buy a ticket from the games, and uncover it."""
    before = browser.acts
    with task(browser, "instant", "dialog[open]", ".stage .cell.covered", ".result .state"):
        browser.click(".game .buy")
        browser.click("dialog .primary")
        until(lambda: covered(browser) == 9, "its squares")
        browser.keys("F8")
    assert browser.acts - before == 3
    browser.find(DONE)


def in_the_language_of_the_player(browser: Browser, line: Line, game: str) -> None:
    """The player's screen says the labels of the prize table in a language of its own."""
    if game == "small":
        to_the_player(browser, line, "es")
        browser.says("#shown h1", "La vuelta de honor")
        browser.says("#shown .prizes", "Trofeo")
        assert "Trofeu" not in browser.text("#shown")
        browser.other_window()


def only_the_last_moves(browser: Browser, game: str) -> None:
    """On the player's screen the square that was uncovered before does not turn again."""
    if game == "small":
        until(lambda: covered(browser) == 7, "the second square")
        browser.other_window()
        browser.look(dark=False, still=False)
        until(lambda: covered(browser) == 7, "the second square for the player")
        turning = """
            return [...document.querySelectorAll(".cell:not(.covered)")]
              .map((cell) => getComputedStyle(cell).animationName);
        """
        assert browser.run(turning) == ["none", "uncovered"]
        browser.look(dark=False)
        browser.other_window()


def covered(browser: Browser) -> int:
    return len(browser.all(".cell.covered"))


@pytest.mark.article("15.III.2")
@pytest.mark.parametrize(
    ("language", "game", "cells", "won"),
    [
        ("ca", "small", 9, "4,00 €"),
        ("es", "letter-by-letter", 7, None),
        ("en", "six-at-the-post", 12, None),
    ],
)
def test_a_drawn_ticket_is_uncovered_by_touches_and_goes_on_after_a_reload(
    open_browser: Open, line: Line, language: str, game: str, cells: int, won: str | None
) -> None:
    """The first of the small game wins its top prize; whatever the others win is printed once."""
    if won:
        seed = emitting.seed_where("small/1", lambda prizes: prizes[0] == 1)
        with emitting.seeded(seed):
            emission = emitting.opened(emitting.small())
    else:
        emission = emitting.opened(emitting.document(game))
    browser = open_browser(language=language)
    desk.enrol(browser, line.url, desk.shop(), language=language)
    buy(browser)
    in_the_language_of_the_player(browser, line, game)
    assert covered(browser) == cells
    assert not PlayEnd.objects.exists()
    browser.click(".cell:nth-child(2)")
    until(lambda: covered(browser) == cells - 1, "the first square")
    assert PlayAct.objects.get().act == "reveal"
    browser.click(".cell:nth-child(3)")
    only_the_last_moves(browser, game)

    browser.reload()
    browser.find(".stage")
    until(lambda: covered(browser) == cells - 2, "the squares uncovered before")
    assert desk.printed(browser, 0) == []
    browser.keys("F8")  # the rest at once
    browser.find(DONE)
    vouchers = list(Voucher.objects.all())
    papers = desk.printed(browser, len(vouchers))
    assert len(papers) == len(vouchers) == bool(PlayEnd.objects.get().awarded_cents)
    if won:
        browser.says(".result", won)
        moves(browser)
        assert won in papers[0].replace("\u00a0", " ")
    browser.reload()
    browser.find(DONE)  # the result again, and no second paper
    assert desk.printed(browser, 0) == []
    if won:
        again(browser)
        browser.keys("Enter")
        once_more(browser)
    browser.keys("Enter")
    browser.find(".games")
    assert {ticket.emission_id for ticket in PlayTicket.objects.all()} == {emission.pk}
    assert PlayAct.objects.count() == PlayTicket.objects.count() and desk.outbox(browser) is None
    assert browser.complaints() == []


@pytest.mark.article("15.II.3")
@pytest.mark.article("15.III.3")
@pytest.mark.parametrize("game", ["five-stalls", "trotters-ladder"])
def test_an_act_whose_answer_was_lost_is_drawn_once(
    open_browser: Open, line: Line, game: str
) -> None:
    browser = bought(open_browser, line, emitting.document(game))
    line.swallow()
    browser.click(".paper button:enabled")
    until(PlayAct.objects.exists, "the act to arrive")
    browser.find("#cut")
    line.mend()
    browser.gone("#cut")
    until(lambda: not browser.run("return document.querySelector('.chance').inert"), "the answer")
    first = PlayAct.objects.get()
    while not browser.shows(DONE):
        browser.tap(".paper button:enabled")
    assert PlayAct.objects.order_by("pk").first() == first
    numbers = list(PlayAct.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert PlayEnd.objects.get().ticket == PlayTicket.objects.get()
    assert len(desk.printed(browser, 0)) == Voucher.objects.count()


@pytest.mark.article("15.II.3")
def test_a_chance_is_never_rounded(open_browser: Open, line: Line) -> None:
    """A step of 1 in 3,000 stood as "Chance 0 %", and one of 2,999 as "Chance 100 %"."""
    way = {"name": "trot", "up": 1, "of": 3_000, "fall": 2}
    document = emitting.document(
        "trotters-ladder",
        prize_percent="76.64",
        prizes=[{"cash_cents": 10_000}, {"cash_cents": 35}],
        mechanic={"kind": "ladder", "rungs": [{"ways": [way]}, {"stop": 1}]},
    )
    browser = bought(open_browser, line, document)
    browser.says(".act", "1 / 3.000")


@pytest.mark.article("15.II.3", "15.III.2")
def test_the_main_prize_of_the_stalls_is_the_largest_in_whatever_order(
    open_browser: Open, line: Line
) -> None:
    usual = emitting.document("five-stalls")
    mechanic = usual["mechanic"] | {
        "changeable": [0, 1, 2],
        "deals": [
            deal | {"contents": [tier and 7 - tier for tier in deal["contents"]]}
            for deal in usual["mechanic"]["deals"]
        ],
    }
    document = usual | {"prizes": usual["prizes"][::-1], "mechanic": mechanic}
    browser = bought(open_browser, line, document)
    browser.says(".stage .prizes", "100,00")


@pytest.mark.article("15.III.6.1")
def test_a_play_left_behind_is_offered_at_its_terminal_again(
    open_browser: Open, line: Line
) -> None:
    browser = bought(open_browser, line, emitting.document("five-stalls"))
    browser.run("localStorage.removeItem('promotrot.play'); sessionStorage.clear()")
    browser.reload()
    desk.sign_on(browser)
    browser.click("#tab-promotrot")
    browser.click(".notice.warn .button")
    browser.find(".stage .door")
    to_the_player(browser, line, "en")
    browser.says("#shown h1", "Five Stalls")  # in the player's language, as the doors are
    assert browser.find("#shown .door:enabled").get_attribute("aria-label") == "Open: stall 1"
    browser.click("#shown .door:enabled")  # the player touches their own screen
    until(PlayAct.objects.exists, "the act")
    browser.find("#shown .door.open")
    while not browser.shows("#shown .stage > .state"):  # a door may end the play
        browser.tap("#shown .door:enabled")
    assert browser.all("#shown .door.open")  # what decided it stands under the result
    assert not browser.all("#shown button:enabled")


@pytest.mark.article("15.III.6.1")
def test_a_play_that_was_ended_for_its_buyer_says_the_same_on_both_screens(
    open_browser: Open, line: Line
) -> None:
    """Its price goes back by a voucher at the Central Office [P19]; the player read "You win"."""
    browser = bought(open_browser, line, emitting.document("five-stalls"))
    assert play_end_unfinished(PlayTicket.objects.get()) == PlayEnd.Cause.REFUND
    browser.reload()
    browser.says(".result .state", "Se us torna el preu: 1,00 €")
    browser.says(".result .warn", "Oficina Central")
    assert desk.printed(browser, 0) == []
    to_the_player(browser, line, "en")
    browser.says("#shown .large", "Your price back: €1.00")
    browser.says("#shown .state", "waits for the buyer at the Central Prize Payment Office")
    assert browser.complaints() == []


def _thing() -> Emission:
    """Put on sale a game whose top prize is a thing with a long name."""
    texts = emitting.small()["texts"]
    for each in texts.values():
        each["prizes"] = {"bicycle": "Bicicleta elèctrica plegable"}
    thing = {
        "description": "bicycle",
        "equivalent_cents": 400,
        "source": "Three shops",
        "valued_on": "2026-01-01",
    }
    tiers = [{"in_kind": thing, "count": 2}, {"cash_cents": 100, "count": 20}]
    return emitting.opened(emitting.small(tiers=tiers, texts=texts))


def _extra() -> Emission:
    """Put an emission on sale that pays what an earlier one owes, by extra prizes of 1.00."""
    definition = emitting.small("debtor")
    seed = emitting.seed_where("debtor/1", lambda prizes: not any(prizes[:4]), definition)
    with emitting.seeded(seed):
        first = emitting.opened(definition)
    emitting.sold_and_played(first, 4)
    return emitting.opened(emitting.closed(first).game, extra_tier=2)


@pytest.mark.article("15.III.6.2", "15.III.6.5")
@pytest.mark.parametrize(
    ("opened", "tier", "words"),
    [(_thing, 1, "Bicicleta elèctrica plegable 4,00 €"), (_extra, 3, "1,00 €")],
)
def test_a_thing_or_an_extra_prize_is_shown_whole_on_both_screens(
    open_browser: Open, line: Line, opened: Callable[[], Emission], tier: int, words: str
) -> None:
    """The name of a thing went over the edge of the player's screen, and no square of an extra
    prize was marked as won.
    """
    emission = opened()
    wins = (at for at in range(emission.tickets) if dealing(emission.pk).tier(0, at) == tier)
    emitting.sold(emission, next(wins))
    browser = open_browser(language="ca")
    desk.enrol(browser, line.url, desk.shop())
    browser.window(f"{line.url}/terminal/player/?lang=ca")
    buy(browser)
    browser.keys("F8")
    browser.find(DONE)
    browser.says(".result", words)
    assert len(browser.all(".stage .cell.wins")) == 3
    browser.other_window()
    browser.says("#shown .large", words)
    edges = """
        const range = document.createRange();
        range.selectNodeContents(document.querySelector("#shown .large"));
        const {left, right} = range.getBoundingClientRect();
        const around = document.querySelector("#shown .state").getBoundingClientRect();
        return left >= around.left && right <= around.right;
    """
    assert browser.run(edges), "the prize goes over the edge"
