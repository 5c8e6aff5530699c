"""Stops on a way through a screen: at each a picture is taken and the page is examined.

Pictures go to var/screenshots (`make screenshots`). Examined is what axe-core finds at WCAG 2.2 AA,
what the console complains of, whether anything is cut off sideways, and whether amounts stay on a
line.
"""

import os
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.embedded.server import ROOT
from tests.browser.driver import PHONE, TERMINAL, WALL, Browser, required

SIZES = {"phone": PHONE, "terminal": TERMINAL, "wall": WALL}
# What the tests look at; `make screenshots` looks at all.
LOOKS = [("phone", False), ("terminal", True)]
if os.environ.get("SCREENSHOTS") == "all":
    LOOKS += [("terminal", False), ("wall", False)]
SHOTS = ROOT / "var" / "screenshots"
AXE = ROOT / "var" / "axe-core" / "axe.min.js"
_NO_LINE = "ERR_INTERNET_DISCONNECTED"  # said of every request while a test keeps the line cut
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What scrolls under a bar that stays is partly covered wherever one stops.
_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: {type: "tag", values: arguments[0]}, resultTypes: ["violations"]})
  .then(({violations}) => done(violations.flatMap(({id, nodes}) => nodes.map((node) =>
    `${id}: ${node.html.slice(0, 160)} | ${node.any[0]?.message ?? ""}`))
    .filter((problem) => !/partially obscured/.test(problem))),
    (error) => done(["axe failed: " + error]));
"""
_WIDE = """
const most = document.documentElement.clientWidth + 1;
return [...document.querySelectorAll("body *")]
  .filter((e) => e.checkVisibility() && !e.closest(".heard, .scroll, .skip, #paper, [inert] *"))
  .filter((e) => e.getBoundingClientRect().right > most)
  .map((e) => e.outerHTML.slice(0, 120)).slice(-2);
"""
_WRAPPED = """
return [...document.querySelectorAll(".amount")].filter((e) => e.checkVisibility())
  .filter((e) => e.getClientRects().length > 1).map((e) => e.outerHTML.slice(0, 120));
"""


def axe() -> str:
    """The source of axe-core, which `make browser` fetches with its hash."""
    if AXE.exists():
        return AXE.read_text("utf-8")
    missing = "accessibility is examined with axe-core: `make browser` fetches it"
    return str(pytest.fail(missing) if required() else pytest.skip(missing))


@dataclass(frozen=True, slots=True)
class Tour:
    """One way, in one size and colour scheme."""

    browser: Browser
    screen: str
    size: str
    dark: bool = False
    wrong: list[str] = field(default_factory=list)

    @property
    def look(self) -> str:
        return f"{self.size}{'-dark' if self.dark else ''}"

    def stop(self, name: str) -> None:
        """Take the picture and examine what is shown."""
        self.browser.screenshot(SHOTS / f"{self.screen}-{name}-{self.look}.png")
        found: dict[str, Any] = {
            "console": [each for each in self.browser.complaints() if _NO_LINE not in each],
            "wider than the window": self.browser.run(_WIDE),
            "wrapped amounts": self.browser.run(_WRAPPED),
            "axe": self._axe(),
        }
        self.wrong.extend(
            f"{name}, {what}: {problem}" for what, problems in found.items() for problem in problems
        )

    def end(self) -> None:
        """Every stop has been made, whatever was found; now what was found counts."""
        where = f"{self.screen} ({self.look}):"
        assert not self.wrong, "\n  ".join([where, *self.wrong])

    def _axe(self) -> Any:
        if not self.browser.run("return typeof axe !== 'undefined'"):
            self.browser.run(f"{axe()}; window.axe = axe;")
        return self.browser.run_async(_AXE, _RULES)
