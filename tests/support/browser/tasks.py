"""Count the acts of a person and of the system in a task, and write the table of docs/screens.md.

A person's part is taps and keys; the system's part is the time from an act to the state that it
leads to, as the page's own clock measures it. No test asserts a time.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from core.tools.embedded.server import ROOT
from tests.support.browser.driver import Browser, until

COUNTED: Final = ROOT / "var" / "tasks"
"""A file of JSON for each task: `acts`, and `seconds` of the system."""

TASKS: Final = {
    "single": ("a single bet of seven races", "taps", "`test_terminal.py`, the acts of a counter"),
    "quick-pick": ("a quick pick; one key more draws again", "keys", "the same, `_quick_pick`"),
    "coupon": (
        "a ticket prepared on a phone",
        "acts: a scan and Enter",
        "`test_coupon_tour.py`",
    ),
    "instant": (
        "an instant ticket, bought and uncovered",
        "acts: two taps and a key",
        "`test_promotrot.py`, `once_more`",
    ),
    "again": ("another of the same game, uncovered", "keys", "`test_promotrot.py`, `again`"),
    "office": (
        "a prize in cash at the office",
        "acts: a scan, Space for *the paper agrees*, Enter",
        "`test_desks_tour.py`, by keyboard alone",
    ),
    "decide": ("a proposal of the queue, confirmed", "key", "`test_decisions_tour.py`"),
    "terminal-prize": (
        "a prize in cash at the terminal",
        "acts: a scan, and one that says the paper agrees",
        "`test_prizes.py`",
    ),
}
_DOCUMENT = ROOT / "docs" / "screens.md"
_HEAD = "| task | acts | seconds of the system | test |\n| --- | --- | ---: | --- |\n"
_MEASURED = "The seconds are those of the last `make times`"

# Each frame, and before each act, it looks whether the next state is there since the last act: the
# act may come before a frame that shows what it waited for. A page that follows goes on, for what
# is known is kept by the window.
_RECORD = """
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const known = () => JSON.parse(sessionStorage.getItem("task") ?? "null");
  const keep = (task) => sessionStorage.setItem("task", JSON.stringify(task));
  const shows = (selector) => [...document.querySelectorAll(selector)].some((e) =>
    e.checkVisibility({opacityProperty: true, visibilityProperty: true}));
  const reach = () => {
    const task = known();
    if (task?.acted && shows(task.states[0])) {
      task.waited += now() - task.acted;
      task.acted = 0;
      task.states.shift();
      keep(task);
    }
    return task;
  };
  const act = ({isTrusted}) => {
    const task = isTrusted && reach();
    if (task) keep({...task, acted: now()});
  };
  const look = () => {
    if (reach()?.states.length) requestAnimationFrame(look);
  };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, act, true);
  look();
})();
"""


@contextmanager
def task(browser: Browser, name: str, *states: str) -> Iterator[None]:
    """Count a task. `states` are selectors of what its acts lead to, in order; the last is its end.

    A state must not be there before its act. Acts that lead to no state cost no waiting.
    """
    browser.at_load(_RECORD)
    begun: dict[str, Any] = {"states": states, "waited": 0, "acted": 0}
    browser.run("sessionStorage.setItem('task', arguments[0])", json.dumps(begun))
    browser.run(_RECORD)
    acts = browser.acts
    yield
    until(lambda: not _task(browser)["states"], lambda: f"{_task(browser)['states']} of {name}")
    COUNTED.mkdir(parents=True, exist_ok=True)
    counted = {"acts": browser.acts - acts, "seconds": _task(browser)["waited"] / 1000}
    (COUNTED / f"{name}.json").write_text(json.dumps(counted), "utf-8")
    browser.run("sessionStorage.removeItem('task')")


def _task(browser: Browser) -> dict[str, Any]:
    task: dict[str, Any] = json.loads(browser.run("return sessionStorage.getItem('task')"))
    return task


def table(folder: Path, *, machine: str) -> str:
    """Return the table of every task, as text of Markdown. Raises FileNotFoundError if one was not
    counted.
    """
    rows = []
    for name, (words, acts, test) in TASKS.items():
        counted = json.loads((folder / f"{name}.json").read_text("utf-8"))
        rows.append(f"| {words} | {counted['acts']} {acts} | {counted['seconds']:.2f} | {test} |\n")
    return f"{_HEAD}{''.join(rows)}\n{_MEASURED}, {machine}.\n"


def written(document: str, new: str) -> str:
    """Return the document with the new table in the place of the old one and its sentence."""
    before, head, rest = document.partition(_HEAD)
    _, measured, after = rest.partition(_MEASURED)
    if not (head and measured):
        raise ValueError("The document has no table of tasks.")
    return before + new + after.partition("\n")[2]


def main() -> None:
    """Write the table of docs/screens.md from what the tests have counted."""
    machine = f"on {os.cpu_count()} processors with a load of {os.getloadavg()[0]:.0f}"
    _DOCUMENT.write_text(
        written(_DOCUMENT.read_text("utf-8"), table(COUNTED, machine=machine)), "utf-8"
    )


if __name__ == "__main__":
    main()
