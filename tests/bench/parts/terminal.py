"""Milliseconds that an operator waits in a browser: for a mark, and for the paper of a sale.

`terminal.mark_ms`: from a tap on a horse to the next frame that shows it. `terminal.sale_ms`: from
the tap that sells to the slip handed to the printer. `*.first_load_bytes`: the page and what it
asks for until it can be used, compressed. Without a Chromium this part is skipped.
"""

import secrets
import statistics
import tempfile
from pathlib import Path

from core.tools.embedded.stack import Stack
from tests.bench.pairs import percentile
from tests.bench.store import Figures, Skipped, Store
from tests.support.browser import desk
from tests.support.browser.driver import TERMINAL, Browser, Driver, browser_missing, until

SALES = 40
_MARKS = """
const done = arguments[arguments.length - 1];
const buttons = [...document.querySelectorAll(".runner:enabled")];
const taken = [];
const next = () => {
  const button = buttons.shift();
  if (!button) return done(taken);
  const before = performance.now();
  button.click();
  requestAnimationFrame(() => { taken.push(performance.now() - before); setTimeout(next, 30); });
};
next();
"""
_TIMED = """
window.took = [];
window.print = () => {
  window.took.push(performance.now() - window.tapped);
  dispatchEvent(new Event("afterprint"));
};
addEventListener("click", (event) => {
  if (event.target.closest("dialog .primary")) window.tapped = performance.now();
}, true);
"""


def measure(store: Store) -> Figures:
    """Return the figures `terminal.*` and `board.first_load_bytes`."""
    missing = browser_missing()
    if missing:
        raise Skipped(f"{missing}; `make browser` installs what is missing")
    sales = max(2, store.size.of(SALES))
    with (
        store.contest_on_sale() as (contest, _),
        tempfile.TemporaryDirectory() as folder,
        Driver(Path(folder) / "log") as driver,
    ):
        shop = desk.shop(contest, terminal=f"T-{secrets.token_hex(3)}")
        browser = driver.browser(TERMINAL)
        try:
            return _measured(browser, store.stack, shop, sales)
        finally:
            browser.close()


def _measured(browser: Browser, stack: Stack, shop: desk.Shop, sales: int) -> Figures:
    url = stack.sales_url
    browser.go(f"{stack.base_url}/")
    browser.find(".race .runner")
    board_bytes = sum(browser.first_load().values())
    browser.go(f"{url}/terminal/")
    browser.find("#enrolment-code")
    terminal_bytes = sum(browser.first_load().values())
    desk.enrol(browser, url, shop)
    browser.run(_TIMED)
    desk.to_sale(browser)
    marks = browser.run_async(_MARKS)
    browser.click(".bet-bar .button[aria-keyshortcuts=F4]")
    for number in range(1, sales + 1):
        browser.click(".bet-bar .button[aria-keyshortcuts=F2]")
        desk.sell(browser)
        until(lambda: len(browser.run("return window.took")) >= number, "the paper")  # noqa: B023
        until(lambda: desk.outbox(browser) is None, "the confirmation")
    sale_ms = browser.run("return window.took")
    return {
        "terminal.mark_ms": statistics.median(marks),
        "terminal.mark_p95_ms": percentile(marks, 0.95),
        "terminal.sale_ms": statistics.median(sale_ms),
        "terminal.sale_p95_ms": percentile(sale_ms, 0.95),
        "terminal.first_load_bytes": float(terminal_bytes),
        "board.first_load_bytes": float(board_bytes),
    }
