"""A coupon prepared on a phone, and sold by its symbol: one scan and one confirmation."""

import re
from pathlib import Path
from typing import Any

import pytest
import segno
from django.utils import translation

from core.screens import live, texts
from lototrot.engine.races import numbers_of
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.browser import desk
from tests.support.browser.driver import Browser, Open
from tests.support.browser.line import Line
from tests.support.browser.tasks import task
from tests.support.browser.tour import PICTURED, SIZES, Tour

_LANGUAGES = [("es", "ca"), ("ca", "en"), ("en", "es")][: 3 if PICTURED else 1]
_READ = """
const [url, texts] = arguments;
const { read } = await import(url);
return texts.map((text) => { try { return read(text); } catch (error) { return error.code; } });
"""
# The path of a symbol is one square for each dark module, behind a quiet zone of four.
_SQUARE = re.compile(r"M(\d+) (\d+)h1v1h-1z")
_BY_HAND = "COUPON1C12R04R010810R03D07R09R02R05K18582"
_REFUSED = {
    "COUPON": "coupon_malformed",
    "<script>": "coupon_malformed",
    _BY_HAND + "1": "coupon_malformed",
    _BY_HAND.replace("R05", "R06"): "coupon_mistyped",
    _BY_HAND.replace("COUPON1", "COUPON2"): "coupon_other_version",
    "COUPON1C12" + "R01" * 400 + "K00000": "coupon_malformed",
}


@pytest.mark.parametrize(("language", "other"), _LANGUAGES)
def test_a_coupon_from_the_phone_to_the_paper(
    open_browser: Open, line: Line, tmp_path: Path, settings: Any, language: str, other: str
) -> None:
    """The phone and the player's screen speak other languages than the till."""
    settings.VAR_DIR = tmp_path
    shop = desk.shop()
    rounds.sell(shop.contest, factories.point(), [rounds.masks([[4]] * 7)])
    live.prepare()
    live.publish(live.folder())
    phone = open_browser(SIZES["phone"], language=language)
    text = _prepare(phone, line)
    desk.withdraw(shop.contest, race=2, number=8)
    till = open_browser()
    desk.enrol(till, line.url, shop)
    desk.to_sale(till)
    desk.scan(till, text.replace("R05", "R06"))
    till.says("#toast .bad", "coupon_mistyped")
    assert not till.shows("dialog")
    till.window(f"{line.url}/terminal/player/?lang={other}")
    till.other_window()
    till.says("#idle", _text_of("closes_in", other))
    screen = Tour(till, "player", "terminal")
    screen.stop("idle")
    till.other_window()
    desk.scan(till, text)
    till.other_window()
    till.says("#shown", _text_of("your_bet", other))
    screen.stop("bet")
    screen.end()
    till.other_window()
    till.keys("Escape")
    before = till.acts
    with task(till, "coupon", "dialog.confirmation", desk.next_paper(till)):
        desk.scan(till, text)
        till.says("dialog s", "8")
        till.says("dialog .due", "2,00 €")
        till.other_window()
        till.says("#shown", _text_of("your_bet", other))
        till.says("#shown", "Cavall 2.10")
        till.other_window()
        till.keys("Enter")
    assert till.acts - before == 2
    desk.sold(till)
    ticket = Ticket.objects.get(terminal__code=shop.terminal)
    assert [numbers_of(mask) for mask in ticket.legs()] == [
        *((4,), (1, 10), (3,), (7,), (9,), (2,), (5,))
    ]
    _saved(phone)


def _text_of(key: str, language: str) -> str:
    with translation.override(language):
        return str(texts.catalogue("lototrot_player")[key])


def _prepare(phone: Browser, line: Line) -> str:
    """Mark a coupon, save it, and return the text of its symbol."""
    phone.go(f"{line.url}/coupon?lang={phone.language}")
    phone.find(".races")
    tour = Tour(phone, "coupon", "phone")
    phone.says('[data-race="6"] [data-number="4"]', "100\u202f%")  # share of the bets so far
    desk.mark_all(phone, [4, 1, 3, 7, 9, 2, 5])
    desk.mark(phone, 2, 8)
    desk.mark(phone, 2, 10)
    phone.click(".bet-bar .primary")
    phone.find("dialog .qr")
    tour.stop("symbol")
    text = phone.text("dialog .qr-text")
    dark = _SQUARE.findall(phone.run("return document.querySelector('.qr path').getAttribute('d')"))
    drawn = segno.make_qr(text, error="m", mask=0, boost_error=False)
    squares = {(x, y) for y, row in enumerate(drawn.matrix) for x, on in enumerate(row) if on}
    assert {(int(x) - 4, int(y) - 4) for x, y in dark} == squares
    read = phone.run(_READ, "/static/lototrot/coupon/format.js", [_BY_HAND, *_REFUSED])
    assert read[0]["races"][1] == [1, 8, 10] and read[0]["races"][3] == {"quick_pick": [7]}
    assert read[1:] == list(_REFUSED.values())
    for button in phone.all("dialog .row .button:enabled")[-2:]:
        button.click()
    phone.keys("Escape")
    phone.find(".played")
    tour.stop("marked")
    tour.end()
    return text


def _saved(phone: Browser) -> None:
    """A saved coupon follows the programme, and the usual numbers come back in one tap."""
    live.publish(live.folder())
    phone.says(".played s", "8")
    phone.click(".bet-bar .row .button:nth-child(3)")
    phone.says(".sum", "€0.00" if phone.language == "en" else "0,00 €")
    phone.click(".bet-bar .row .button:nth-child(2)")
    phone.says(".sum", "€2.00" if phone.language == "en" else "2,00 €")
    kept = phone.run("return document.cookie")
    assert "coupon" not in kept
