"""Stop on a way through a screen, and examine the page at each stop.

It is examined for axe-core's findings at WCAG 2.2 AA, for messages of the console, for content and
acts cut off at the side, for amounts that break over lines, and for words of a script that nobody
meant. Where something is wrong, a picture goes to var/screenshots. `make screenshots` goes every
way in three languages and pictures every stop in each size, light and dark; a few of them go as
text to docs/screens.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from core.tools.embedded.server import ROOT
from tests.support.browser.driver import PHONE, TERMINAL, WALL, Browser, required

SIZES = {"phone": PHONE, "terminal": TERMINAL, "wall": WALL}
# Size, whether dark, language: what tests look at. `make screenshots` goes in English too.
LOOKS = [("phone", False, "ca"), ("terminal", True, "es")]
PICTURED = os.environ.get("SCREENSHOTS") == "all"
if PICTURED:
    LOOKS += [("terminal", False, "en")]
SHOTS = ROOT / "var" / "screenshots"
AXE = ROOT / "var" / "axe-core" / "axe.min.js"
# What the README shows: of a stop in a size, an SVG that is text (`make screenshots`).
PICTURES = {
    "terminal-bet-terminal": "terminal",
    "promotrot-six-at-the-post-begun-terminal": "promotrot",
    "board-on-sale-terminal": "board",
    "race-day-on-sale-terminal": "organiser",
    "office-prize-terminal": "office",
}
_PICTURE = Path(__file__).with_name("picture.js")
_DOCS = ROOT / "docs" / "screens"
_NO_LINE = "ERR_INTERNET_DISCONNECTED"  # said of every request while a test keeps the line cut
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules whose answer depends on size and colours. The others look at the structure alone.
_RULES_OF_LOOKS = [
    "color-contrast",
    "link-in-text-block",
    "scrollable-region-focusable",
    "target-size",
]
# Each later page of the window has the library, and reads it when it is examined: to send 650 kB to
# every page takes a third of the time of its examination.
_LIBRARY = "window.readAxe ??= () => {{ if (!window.axe) {{ {}; }} }};"
_WIDE = """
const most = document.documentElement.clientWidth + 1;
const scrolls = (e) => e && e !== document.body
  && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
return [...document.querySelectorAll("body *")]
  .filter((e) => e.checkVisibility() && !e.closest(".heard, .scroll, .skip, #paper, [inert] *"))
  .filter((e) => e.getBoundingClientRect().right > most && !scrolls(e.parentElement))
  .map((e) => e.outerHTML.slice(0, 120)).slice(-2);
"""
# Two frames, then the end of every movement that has one: colours in between fit nothing.
_SETTLED = """
const done = arguments[arguments.length - 1];
const ends = (a) => a.playState === "running" && isFinite(a.effect?.getComputedTiming().endTime);
const settle = () => Promise.allSettled(
  document.getAnimations().filter(ends).map((a) => a.finished)).then(() => done());
requestAnimationFrame(() => requestAnimationFrame(settle));
setTimeout(done, 2000);
"""
# What reaches over the edge of its card without a way to scroll to it.
BURST = """
const scrolls = (e, card) => e !== card
  && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement, card));
const over = (e) => { const card = e.parentElement.closest(".card");
  return card && e.getBoundingClientRect().right > card.getBoundingClientRect().right + 1
    && !scrolls(e.parentElement, card); };
return [...document.querySelectorAll(".card *")]
  .filter((e) => e.checkVisibility() && !e.closest(".heard, svg, #paper") && over(e))
  .map((e) => e.outerHTML.slice(0, 120)).slice(0, 2);
"""
# An act that one must scroll sideways for is not found in a hurry.
CUT = """
const edge = (e) => Math.min(document.documentElement.clientWidth,
  e.closest(".house-panel")?.getBoundingClientRect().right ?? Infinity);
return [...document.querySelectorAll(".desk-button, .office-button")]
  .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > edge(e) + 1)
  .map((e) => e.outerHTML.slice(0, 120)).slice(0, 2);
"""
_WRAPPED = """
return [...document.querySelectorAll(".amount")].filter((e) => e.checkVisibility())
  .filter((e) => e.getClientRects().length > 1).map((e) => e.outerHTML.slice(0, 120));
"""
_UNMEANT = """
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
while (texts.nextNode()) {
  const {data, parentElement} = texts.currentNode;
  const word = /^(null|undefined|NaN|false|true|\\[object .*)$/;
  if (word.test(data.trim()) && !parentElement.closest("script"))
    found.push(`${data} in ${parentElement.outerHTML.slice(0, 120)}`);
}
return found;
"""

# All of a stop in one request: each takes a hundredth of a second from the processes between.
# What scrolls under a bar that stays is partly covered wherever one stops.
_EXAMINED = f"""
const [type, values, done] = arguments;
const byAxe = () => axe.run(document, {{runOnly: {{type, values}}, resultTypes: ["violations"]}})
  .then(({{violations}}) => violations.flatMap(({{id, nodes}}) => nodes.map((node) =>
    `${{id}}: ${{node.html.slice(0, 160)}} | ${{node.any[0]?.message ?? ""}}`))
    .filter((problem) => !/partially obscured/.test(problem)),
    (error) => ["axe failed: " + error]);
const examine = async () => {{
  window.readAxe?.();
  return "axe" in window ? {{
    "wider than the window": (() => {{ {_WIDE} }})(),
    "wrapped amounts": (() => {{ {_WRAPPED} }})(),
    "words of a script": (() => {{ {_UNMEANT} }})(),
    "over the edge of its card": (() => {{ {BURST} }})(),
    "acts cut off at the side": (() => {{ {CUT} }})(),
    axe: await byAxe(),
  }} : null;
}};
new Promise(function (settled) {{ (function () {{ {_SETTLED} }})(settled); }})
  .then(examine).catch((error) => ({{examination: ["failed: " + error]}}))
  .then((found) => done([document.documentElement.lang.slice(0, 2), found]));
"""
# How much of the page moved by itself, as browsers count it (0: nothing).
MOVED = """
const done = arguments[arguments.length - 1];
new PerformanceObserver((list) => done(list.getEntries().filter((e) => !e.hadRecentInput)
  .reduce((sum, {value}) => sum + value, 0))).observe({type: "layout-shift", buffered: true});
setTimeout(() => done(0), 500);
"""


def axe() -> str:
    """Return the source of axe-core, which `make browser` fetches and checks by its hash."""
    if AXE.exists():
        return AXE.read_text("utf-8")
    missing = "accessibility is not examined without axe-core (`make browser` fetches it)"
    return str(pytest.fail(missing) if required() else pytest.skip(missing))


def languages(usual: str) -> list[str]:
    """Return the languages of a way that tests go in one: all of them for the pictures."""
    return [usual, *(other for other in ("ca", "es", "en") if PICTURED and other != usual)]


def look(browser: Browser, size: str, *, dark: bool) -> None:
    """Show what is shown in another size and colours. The theme of the admin reads the colours only
    when a page loads.
    """
    browser.resize(SIZES[size])
    browser.look(dark=dark)
    browser.run("document.documentElement.classList.toggle('dark', arguments[0])", dark)


@dataclass(frozen=True, slots=True)
class Tour:
    """A way through a screen, in one size and colour scheme."""

    browser: Browser
    screen: str
    size: str
    dark: bool = False
    wrong: list[str] = field(default_factory=list)
    sizes: Sequence[str] = tuple(SIZES)
    """Those in which the screen is pictured."""

    @property
    def look(self) -> str:
        return f"{self.size}{'-dark' if self.dark else ''}"

    def stop(self, name: str, *, structure: bool = True) -> None:
        """Examine what is shown: without `structure`, only what depends on the size and on the
        colours.
        """
        shot = f"{self.screen}-{name}-{self.look}"
        language, failing = self._examined(structure)
        if shot in PICTURES and PICTURED and language == "en":
            svg = self.browser.run(_PICTURE.read_text("utf-8"))
            _DOCS.mkdir(exist_ok=True)
            (_DOCS / f"{PICTURES[shot]}.svg").write_text(svg + "\n", "utf-8")
        failing["console"] = [text for text in self.browser.complaints() if _NO_LINE not in text]
        wrong = [
            f"{name}, {what}: {problem}"
            for what, problems in failing.items()
            for problem in problems
        ]
        if PICTURED and structure and self.size in self.sizes:
            self._picture(f"{self.screen}-{name}", language)
        elif wrong or (PICTURED and structure):
            self.browser.screenshot(SHOTS / f"{shot}-{language}.png")
        self.wrong.extend(wrong)

    def _picture(self, name: str, language: str) -> None:
        """Picture the page in every size, light and dark, and leave it as it was."""
        for size, dark in product(self.sizes, (False, True)):
            look(self.browser, size, dark=dark)
            self.browser.run_async(_SETTLED)
            look_name = f"{size}{'-dark' if dark else ''}"
            self.browser.screenshot(SHOTS / f"{name}-{look_name}-{language}.png")
        look(self.browser, self.size, dark=self.dark)
        self.browser.run_async(_SETTLED)

    def end(self) -> None:
        """Fail with the problems of all stops, after the last of them."""
        where = f"{self.screen} ({self.look}):"
        assert not self.wrong, "\n  ".join([where, *self.wrong])

    def _examined(self, structure: bool) -> tuple[str, dict[str, list[str]]]:
        """Return the page's language, and its problems by kind, once the page has settled."""
        rules = ("tag", _RULES) if structure else ("rule", _RULES_OF_LOOKS)
        language, problems = self.browser.run_async(_EXAMINED, *rules)
        if problems is None:  # the first stop in this window
            library = _LIBRARY.format(axe())
            self.browser.at_load(library)
            self.browser.run(library)
            language, problems = self.browser.run_async(_EXAMINED, *rules)
        return language, problems


@dataclass(frozen=True, slots=True)
class Looks:
    """A way on which every stop is examined in all sizes, for ways that take long."""

    browser: Browser
    screen: str
    wrong: list[str] = field(default_factory=list)

    def stop(self, name: str) -> None:
        for number, (size, dark, _) in enumerate(LOOKS):
            look(self.browser, size, dark=dark)
            tour = Tour(self.browser, self.screen, size, dark)
            tour.stop(name, structure=number == 0)
            self.wrong.extend(f"{tour.look}, {problem}" for problem in tour.wrong)
        look(self.browser, "terminal", dark=False)

    def end(self) -> None:
        assert not self.wrong, "\n  ".join([f"{self.screen}:", *self.wrong])
