"""Check your ticket, in every language and size: prize, refusal, a voided bet, the proof."""

import pytest

from tests.support import factories, paying
from tests.support.browser.driver import TERMINAL, Browser, Open, Size, until
from tests.support.browser.line import Line
from tests.support.browser.tour import MOVED, SIZES, Tour

LOOKS = [("phone", False, "ca"), ("phone", True, "es"), ("terminal", False, "en")]
PRIZE = {"ca": "Premi", "es": "Premio", "en": "Prize"}


def ask(browser: Browser, code: str) -> str:
    browser.run("document.getElementById('code').value = ''")
    browser.type("#code", code)
    browser.keys("Enter")
    browser.find("#answer .state")
    return str(browser.run("return document.getElementById('answer').innerText"))


@pytest.mark.parametrize(("size", "dark", "language"), LOOKS)
@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_a_holder_looks_up_a_ticket(
    open_browser: Open, line: Line, size: str, dark: bool, language: str
) -> None:
    (ticket,) = paying.worth(532_31)
    browser = open_browser(SIZES[size], language=language, dark=dark)
    tour = Tour(browser, "check", size, dark)
    browser.go(f"{line.url}/check?lang={language}")
    browser.find("#code")
    tour.stop("empty")
    text = ask(browser, ticket.code)
    assert PRIZE[language] in text
    assert "532" in text
    tour.stop("prize")
    browser.click("#answer button")
    browser.find("#answer .card .code, #answer .card .notice")
    tour.stop("proof")
    text = ask(browser, "1ABC-DEFG")
    tour.stop("not-known")
    tour.wrong[:] = [each for each in tour.wrong if "Failed to load resource" not in each]
    tour.end()


@pytest.mark.parametrize(
    ("language", "so_far", "needs"),
    [
        ("ca", "1 de 1", "1"),
        ("es", "1 de 1", "1"),
        ("en", "1 of 1 right so far", "Race 2 comes next: it needs 1."),
    ],
)
def test_a_ticket_says_what_is_right_and_what_it_needs_next(
    open_browser: Open, line: Line, language: str, so_far: str, needs: str
) -> None:
    contest = paying.contest()
    (ticket,) = paying.tickets(contest, 1)
    browser = open_browser(SIZES["phone"], language=language)
    browser.go(f"{line.url}/check?lang={language}")
    valid = ask(browser, ticket.code)
    assert so_far not in valid
    factories.contest_closed(contest)
    factories.classified(factories.races_of(contest)[0], {1})
    ask(browser, ticket.code)
    browser.says("#answer .state .large", so_far)
    browser.says("#answer .state", needs)


def test_the_code_after_the_hash_is_not_kept_in_the_address(open_browser: Open, line: Line) -> None:
    (ticket,) = paying.worth(10_00)
    browser = open_browser(TERMINAL, language="en")
    browser.go(f"{line.url}/check?lang=en#{ticket.code}")
    browser.find("#answer .state.good")
    browser.find("#compare")
    assert browser.run_async(MOVED) < 0.1  # the answer pushes nothing down that is being read
    assert "#" not in browser.run("return location.href")
    asked = browser.run("return performance.getEntriesByType('resource').map(({name}) => name)")
    assert len(asked) > 3 and not [name for name in asked if ticket.code in name]
    fits = "const e = document.getElementById('code'); return e.scrollWidth <= e.clientWidth + 1"
    browser.resize(Size(360, 740))
    until(lambda: browser.run(fits), "the code to fit its field")
    # Kept on this machine only if wanted, and gone again when not.
    browser.click("#answer input[type=checkbox]")
    browser.says("#kept", f"…{ticket.code[-4:]}")
    browser.click("#answer input[type=checkbox]")
    browser.gone("#kept")
    assert ticket.code not in browser.run("return JSON.stringify(localStorage)")
    browser.offline(True)
    browser.run("document.getElementById('ask').requestSubmit()")
    browser.says("#answer .state.warn", "Not checked: no connection")
    browser.offline(False)
    browser.find("#answer .state.good")  # tried again by itself
