"""What an operator waits for, in a real browser on this machine: a mark, and a sale to its paper.

`terminal.mark_ms`: from a tap on a horse to the next frame that shows it. `terminal.sale_ms`: from
the tap that sells to the slip handed to the printer. `*.first_load_bytes`: the page and all that
it asks for until it can be used, compressed. Without a Chromium all are left out.
"""

import statistics
import tempfile
from pathlib import Path

from core.tools.embedded.stack import Stack
from tests.bench.pairs import percentile
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


def measure(stack: Stack, *, scale: float) -> dict[str, float]:
    missing = browser_missing()
    if missing:
        print(f"terminal: not measured, {missing}")
        return {}
    with tempfile.TemporaryDirectory() as folder, Driver(Path(folder) / "log") as driver:
        browser = driver.browser(TERMINAL)
        try:
            return _measured(browser, stack.base_url, max(5, int(SALES * scale)))
        finally:
            browser.close()


def _measured(browser: Browser, url: str, sales: int) -> dict[str, float]:
    shop = desk.shop()
    browser.go(f"{url}/")
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
    took = browser.run("return window.took")
    return {
        "terminal.mark_ms": statistics.median(marks),
        "terminal.mark_p95_ms": percentile(marks, 0.95),
        "terminal.sale_ms": statistics.median(took),
        "terminal.sale_p95_ms": percentile(took, 0.95),
        "terminal.first_load_bytes": float(terminal_bytes),
        "board.first_load_bytes": float(board_bytes),
    }
