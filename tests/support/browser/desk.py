"""Make a betting shop for browser tests: terminals that tests enrol, sign on and use."""

import json
from dataclasses import dataclass
from typing import Any

from core.premises.access import BareTerminal, TerminalActor
from core.premises.models import Terminal
from core.premises.operators import operator_pin_choose, operator_register
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop
from lototrot.services.contest.contests import display_acknowledge
from lototrot.services.races.stopping import race_stop, stop_lift
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories
from tests.support.browser.driver import Browser, until

PIN = "482915"
GIVEN = "271828"
RULES = {
    "ca": "Encertau el guanyador de cada cursa. Es paguen quatre categories.",
    "es": "Acierte el ganador de cada carrera. Se pagan cuatro categorías.",
    "en": "Pick the winner of every race. Four categories are paid.",
}
# Papers that went to the printer, and no dialog of the browser's.
PRINTER = """
window.printed = [];
window.print = () => {
  window.printed.push(document.getElementById("paper").innerText);
  document.documentElement.dataset.papers = window.printed.length;
  dispatchEvent(new Event("afterprint"));
};
"""
_PASTE = """
const field = document.querySelector(arguments[0]);
field.focus();
return document.execCommand("insertText", false, arguments[1]) && document.activeElement === field;
"""


@dataclass(frozen=True, slots=True)
class Shop:
    """Premises with a terminal that is not enrolled yet, and a contest on sale."""

    premises: str
    terminal: str
    enrolment_code: str
    contest: Contest


def shop(
    contest: Contest | None = None,
    *,
    terminal: str = "T-0001",
    correction_window_s: int = 120,
    has_given_pin: bool = False,
) -> Shop:
    """Return a shop whose operator has chosen a PIN, unless theirs is to be the given one."""
    organiser = factories.staff(Role.ORGANISER)
    place = factories.premises()
    code = factories.enrolment_code(place, terminal)
    registered = Terminal.objects.get(code=terminal)
    operator_register(by=organiser, premises=place.code, number=1, name="Joan Sastre", pin=GIVEN)
    if not has_given_pin:
        bare = BareTerminal(registered.pk, place.pk, place.kind)
        operator_pin_choose(terminal=bare, number=1, pin=GIVEN, new_pin=PIN)
    if contest is None:
        contest = factories.contest(
            factories.meeting(numbers=range(1, 12)), correction_window_s=correction_window_s
        )
    contest_publish(by=organiser, contest=contest, rules=RULES)
    return Shop(place.code, registered.code, code, contest)


def operator_two(at: Shop) -> None:
    """Register another operator, who may sell the contest."""
    by = factories.staff(Role.ORGANISER)
    two = operator_register(by=by, premises=at.premises, number=2, name="Aina Pons", pin=GIVEN)
    terminal = Terminal.objects.select_related("premises").get(code=at.terminal)
    place = (terminal.pk, terminal.premises_id, terminal.premises.kind)
    operator_pin_choose(terminal=BareTerminal(*place), number=2, pin=GIVEN, new_pin=PIN)
    display_acknowledge(by=TerminalActor(*place, two.pk, 0), contest=at.contest)


def withdraw(contest: Contest, *, race: int, number: int) -> None:
    """Withdraw a horse of a race of the ticket. Sales refuse it at once."""
    of = factories.races_of(contest)[race - 1]
    by = factories.staff(Role.STEWARDS)
    withdrawal_enter(by=by, race_id=of.pk, number=number, source="Secretaria")


def stop(contest: Contest, *, race: int) -> SalesStop:
    """Stop the sales of every contest on a race of the ticket."""
    of = factories.races_of(contest)[race - 1]
    return race_stop(by=factories.staff(Role.STEWARDS), race_id=of.pk, source="Jutge de sortida")


def lift(standing: SalesStop) -> None:
    """Lift a stop by two persons, so that sales go on."""
    first, second = factories.staff(Role.STEWARDS), factories.staff(Role.STEWARDS)
    proposal = stop_lift(by=first, stop_id=standing.pk, reason="Sortida falsa")
    two_persons.confirm(proposal=proposal.uuid, by=second)


def enrol(
    browser: Browser, url: str, at: Shop, *, language: str = "ca", by_keys: bool = False
) -> None:
    """Open the terminal, enrol it, and sign the operator on."""
    browser.at_load(PRINTER)
    browser.go(f"{url}/terminal/?lang={language}")
    put = Browser.type if by_keys else _paste
    put(browser, "#enrolment-code", at.enrolment_code)
    browser.keys("Enter")
    sign_on(browser, by_keys=by_keys)


def sign_on(browser: Browser, pin: str = PIN, *, number: int = 1, by_keys: bool = False) -> None:
    """Sign the operator on. With the given PIN, another has to be chosen first."""
    put = Browser.type if by_keys else _paste
    put(browser, "#operator-number", str(number))
    put(browser, "#operator-pin", pin)
    browser.keys("Enter")
    browser.find("#tabs" if pin == PIN else "#new-pin")


def _paste(browser: Browser, selector: str, text: str) -> None:
    """Put a text into an empty field at once, and leave the focus there.

    Each key that is typed takes a frame of the page. Most tests only pass through this form.
    """
    browser.find(selector)
    assert browser.run(_PASTE, selector, text), f"{selector} does not take its text"


def choose_pin(browser: Browser) -> None:
    """Replace the PIN that somebody else gave, on the form that asks for it."""
    browser.type("#new-pin", PIN)
    browser.type("#new-pin-again", PIN)
    browser.keys("Enter")
    browser.find("#tabs")


def to_sale(browser: Browser) -> None:
    """Acknowledge the display, so that the races appear."""
    browser.click(".display .primary")
    browser.find(".races")


def to_play(browser: Browser, game: str = ".game") -> None:
    """Acknowledge the display of a game of Promotrot, unless it is done, so that it can be sold."""
    browser.find(f"{game} .buy")
    if browser.shows(f"{game} .buy.displays"):
        browser.click(f"{game} .buy")
        browser.click("dialog .displayed")
        browser.find(f"{game} .buy:not(.displays)")


def mark(browser: Browser, race: int, number: int) -> None:
    browser.click(f'[data-race="{race - 1}"] [data-number="{number}"]')


def mark_all(browser: Browser, numbers: list[int]) -> None:
    for race, number in enumerate(numbers, start=1):
        mark(browser, race, number)


def sell(browser: Browser) -> None:
    browser.click(".bet-bar .primary")
    browser.click("dialog .primary")


def printed(browser: Browser, at_least: int = 1) -> list[str]:
    """Return the papers printed so far, once there are `count` of them."""

    def enough() -> list[list[str]]:
        so_far = browser.run("return window.printed")
        return [so_far] if len(so_far) >= at_least else []

    (papers,) = until(enough, f"{at_least} papers")
    return list(papers)


def next_paper(browser: Browser) -> str:
    """Return the selector of a page that has printed one paper more than now."""
    return f'html[data-papers="{len(printed(browser, 0)) + 1}"]'


def sold(browser: Browser, papers: int = 1) -> str:
    """Return the last paper, once it is printed and confirmed."""
    papers_printed = printed(browser, papers)
    until(lambda: outbox(browser) is None, "the confirmation of the paper")
    return papers_printed[-1]


def scan(browser: Browser, code: str) -> None:
    """Type as a scanner does: all characters at once, then Enter. It counts as one act."""
    before = browser.acts
    browser.keys(*code, "Enter")
    browser.acts = before + 1


def outbox(browser: Browser) -> dict[str, Any] | None:
    kept = browser.run("return localStorage.getItem('terminal.outbox')")
    request: dict[str, Any] | None = json.loads(kept) if kept else None
    return request
