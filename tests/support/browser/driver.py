"""Drive Chromium for tests through Selenium, with the waits and checks that the tests share."""

import base64
import gzip
import os
import shutil
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

PATIENCE_S = 60.0  # it ends a failure, and delays nothing that comes
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.1
# The shell first: it draws no window around the page, and starts and acts in half the time.
_CHROMIUMS = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)
# Debian's command is a shell that waits for the browser: killed in its place, it leaves it running.
_BEHIND = {"chromium-headless-shell": "/usr/lib/chromium/chromium-headless-shell"}
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-dev-shm-usage",
    # A page lives for seconds: one process for all pages, and no code made faster for later.
    *("--renderer-process-limit=1", "--disable-features=SpareRendererForSitePerProcess"),
    "--js-flags=--no-opt,--no-maglev",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--kiosk-printing",
    "--font-render-hinting=none",
)
_NAMED_KEYS = ("Enter", "Escape", "Tab", "Home", "End", "Backspace", "Alt")
KEYS = {
    **{name: getattr(Keys, name.upper()) for name in _NAMED_KEYS},
    **{
        f"Arrow{to}": getattr(Keys, f"ARROW_{to.upper()}") for to in ("Left", "Up", "Right", "Down")
    },
    **{f"F{n}": getattr(Keys, f"F{n}") for n in (1, 2, 4, 6, 8, 9)},
    "Space": " ",
}
# One request instead of Selenium's two, the second of which sends 50 kB of script.
_VISIBLE_OF = """
const fills = ({width, height}) => width > 0 && height > 0;
const sized = (e) => fills(e.getBoundingClientRect()) || [...e.children].some(sized);
const visible = [...document.querySelectorAll(arguments[0])]
  .map((e) => [e, e.closest("option, optgroup")?.closest("select") ?? e])
  .find(([, e]) => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && sized(e))
  ?.[0] ?? null;
"""
_VISIBLE = _VISIBLE_OF + "return visible;"
# Where a tap meets it; nothing if it is not there or something covers it. A person who sees
# something in front of it scrolls it to the middle. Selenium asks for this in eight requests.
_UNREAD = "return Boolean(document.querySelector('dialog[data-unread]'))"
_TAPPED_AT = """
const middle = () => {
  const box = visible.getClientRects()[0] ?? visible.getBoundingClientRect();
  const between = (low, high, most) => Math.floor((Math.max(low, 0) + Math.min(high, most)) / 2);
  const at = [between(box.left, box.right, innerWidth), between(box.top, box.bottom, innerHeight)];
  return visible.contains(document.elementFromPoint(...at)) ? at : null;
};
const centre = {block: "center", inline: "nearest", behavior: "instant"};
const at = visible && (middle() ?? (visible.scrollIntoView(centre), middle()));
window.missed = true;
const received = ({target}) => { window.missed = !visible.contains(target); };
if (at) addEventListener("click", received, {capture: true, once: true});
return at;
"""
# What has moved between the measure and the tap is missed, as by a person, who taps again.
_MISSED = "return window.missed ?? false"  # a page that the tap has opened knows nothing of it
# Pauses of 3 s and more take a tenth. `later` is how much the page's clock was put on, ms.
_HURRY = """
const [pause, elapsed] = [setTimeout, performance.now.bind(performance)];
window.later = 0;
window.setTimeout = (act, ms, ...rest) => pause(act, ms >= 3000 ? ms / 10 : ms, ...rest);
performance.now = () => elapsed() + window.later;
"""
FIRST_LOAD_BYTES = 150_000  # the most that any screen may load at first, compressed


def browser_missing() -> str:
    """Return why no browser can be used for tests. Empty if one can."""
    if not shutil.which("chromedriver"):
        return "no chromedriver on PATH"
    if not any(shutil.which(name) for name in _CHROMIUMS):
        return "no Chromium on PATH"
    return ""


def required() -> bool:
    """Return whether a missing browser is a failure: LOTOTROT_BROWSER=required, as CI sets it."""
    return os.environ.get("LOTOTROT_BROWSER") == "required"


def until(
    condition: Callable[[], Any], what: str | Callable[[], str], patience_s: float = PATIENCE_S
) -> Any:
    """Return the first true result of `condition`. Fail if it does not come in time."""
    pause_s, deadline = _FIRST_PAUSE_S, time.monotonic() + patience_s
    while not (result := condition()):
        if time.monotonic() > deadline:
            awaited = what if isinstance(what, str) else what()
            raise AssertionError(f"in vain waited for: {awaited}")
        time.sleep(pause_s)
        pause_s = min(1.3 * pause_s, _LONGEST_PAUSE_S)  # each look takes time from what it awaits
    return result


@dataclass(frozen=True, slots=True)
class Size:
    """A window: CSS pixels, device pixels per CSS pixel, and whether it is a touch screen."""

    width: int
    height: int
    scale: float = 1.0
    touch: bool = False


PHONE = Size(390, 844, 2.0, touch=True)
TERMINAL = Size(1280, 800, touch=True)
WALL = Size(1920, 1080)


class Driver:
    """Start browsers, and lend one again when a test has given it back.

    Each has a chromedriver process and a profile of its own. The tests' systems have different
    ports, so pages of two tests share no storage; cookies and cache are cleared in between.
    """

    def __init__(self, log: Path) -> None:
        self._log = log.open("wb")
        self._idle: dict[str, list[Browser]] = defaultdict(list)
        self._path = shutil.which("chromedriver")
        chromium = next(path for name in _CHROMIUMS if (path := shutil.which(name)))
        self._binary = _BEHIND.get(Path(chromium).name, chromium)
        if not Path(self._binary).exists():
            self._binary = chromium

    def browser(self, size: Size, *, language: str = "ca", dark: bool = False) -> "Browser":
        """Return a browser that shares nothing with another one in use."""
        idle = self._idle[language]
        browser = idle.pop() if idle else self._started(language)
        browser.resize(size)
        browser.look(dark=dark)
        return browser

    def take_back(self, browser: "Browser") -> None:
        """Keep a browser for the next test, or end it if it does not answer any more."""
        try:
            browser.renew()
        except WebDriverException:
            browser.close()
        else:
            self._idle[browser.language].append(browser)

    def _started(self, language: str) -> "Browser":
        options = ChromeOptions()
        options.binary_location = self._binary
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # The shell reads the languages that pages are asked for in from the flag alone.
        for flag in (*_FLAGS, f"--lang={language}", f"--accept-lang={language}"):
            options.add_argument(flag)
        service = Service(self._path, log_output=self._log)
        return Browser(Chrome(options, service), language)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for browsers in self._idle.values():
            for browser in browsers:
                browser.close()
        self._log.close()


class Browser:
    """A browser window. Elements are found by CSS selectors, and waited for."""

    def __init__(self, chrome: Chrome, language: str) -> None:
        self._chrome = chrome
        self.language = language
        self.debugger_address = str(chrome.capabilities["goog:chromeOptions"]["debuggerAddress"])
        self.acts = 0
        """The taps and keys that a person would have needed; a scan counts as one (`desk`)."""

    def go(self, url: str) -> None:
        self._chrome.get(url)

    def reload(self) -> None:
        self._chrome.refresh()

    def run(self, script: str, *arguments: Any) -> Any:
        """Return the value of a function's body in the page."""
        return self._chrome.execute_script(script, *arguments)

    def run_async(self, script: str, *arguments: Any) -> Any:
        """Return the value that a function's body passes to its last argument."""
        return self._chrome.execute_async_script(script, *arguments)

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self._chrome.execute_cdp_cmd(command, parameters)

    def at_load(self, script: str) -> None:
        """Run a script in every page before the page's scripts."""
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)

    def hurry(self) -> None:
        """Shorten the long pauses of every page from now on, and let `pass_time` move its clock."""
        self.at_load(_HURRY)

    def pass_time(self, seconds: float) -> None:
        """Put the clock on by which the page of a hurried browser measures what has passed."""
        self.run("window.later += 1000 * arguments[0]", seconds)

    def all(self, selector: str) -> list[WebElement]:
        return self._chrome.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector: str) -> WebElement:
        """Return the first visible element."""
        element: WebElement = until(lambda: self._visible(selector), f"{selector} to be shown")
        return element

    def gone(self, selector: str) -> None:
        until(lambda: not self._visible(selector), f"{selector} to go")

    def shows(self, selector: str) -> bool:
        return self._visible(selector) is not None

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def says(self, selector: str, words: str) -> None:
        """Wait until the text of an element has the words. No-break spaces count as spaces."""
        wanted = words.replace("\u00a0", " ")
        until(
            lambda: wanted in self._text_now(selector) and self._visible(selector),
            lambda: f"{words!r} in {selector}, which says {self._text_now(selector)!r}",
        )

    def click(self, selector: str) -> None:
        """Tap an element as soon as it is there and nothing covers it."""
        until(lambda: self.tap(selector), f"{selector} to be tapped")

    def tap(self, selector: str) -> bool:
        """Tap an element if it is there now and nothing covers it. Return whether it was tapped."""
        at = self.run(_VISIBLE_OF + _TAPPED_AT, selector)
        if at is None:
            return False
        chain = self._chain()
        chain.w3c_actions.pointer_action.move_to_location(*at).click()
        chain.perform()
        if self.run(_MISSED):
            return False
        self.acts += 1
        return True

    def type(self, selector: str, text: str) -> None:
        self.find(selector).send_keys(text)

    def attach(self, selector: str, path: Path) -> None:
        """Choose a file. The field may be hidden behind another element."""
        (field,) = until(lambda: self.all(selector), selector)
        field.send_keys(str(path))

    def forget(self) -> None:
        """Delete every cookie."""
        self.devtools("Network.clearBrowserCookies")

    def keys(self, *names: str) -> None:
        """Press keys where the focus is. Names are those of KEYS, or characters.

        Who answers an open dialog has read it.
        """
        if {"Enter", "Space"} & set(names):
            until(lambda: not self.run(_UNREAD), "the dialog that can be answered")
        chain = self._chain()
        for name in names:
            chain.key_down(KEYS.get(name, name)).key_up(KEYS.get(name, name))
        chain.perform()
        self.acts += len(names)

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is on the element."""
        for _ in range(160):
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys("Tab")
        raise AssertionError(f"Tab does not come to {selector}")

    def window(self, url: str) -> None:
        """Open an address in a new window and stay in this one."""
        here = self._chrome.current_window_handle
        self._chrome.switch_to.new_window("window")
        self.go(url)
        self._chrome.switch_to.window(here)

    def other_window(self) -> None:
        """Switch to the other one of two windows."""
        here = self._chrome.current_window_handle
        (other,) = [handle for handle in self._chrome.window_handles if handle != here]
        self._chrome.switch_to.window(other)

    def offline(self, cut: bool) -> None:
        """Cut the network of the page, or restore it."""
        self.devtools("Network.enable")
        self.devtools(
            "Network.emulateNetworkConditions",
            offline=cut,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def resize(self, size: Size) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=size.width,
            height=size.height,
            deviceScaleFactor=size.scale,
            mobile=size.touch and size.width < 600,
        )
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=size.touch)

    def look(self, *, dark: bool, still: bool = True, media: str = "") -> None:
        """Set the colours, whether the person asks for less motion, and `print` for paper."""
        motion = "reduce" if still else "no-preference"
        asked = (("color-scheme", "dark" if dark else "light"), ("reduced-motion", motion))
        features = [{"name": f"prefers-{name}", "value": value} for name, value in asked]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=features)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def first_load(self) -> dict[str, int]:
        """Return the compressed bytes, by address, of the page and all that it has loaded."""
        loaded = self.run(
            "return [location.href, ...performance.getEntriesByType('resource').map(e => e.name)]"
        )
        sizes = {}
        for url in loaded:
            with urllib.request.urlopen(url) as answer:  # noqa: S310
                sizes[url] = len(gzip.compress(answer.read(), 6, mtime=0))
        return sizes

    def complaints(self) -> list[str]:
        """Return the errors and warnings of the page's console since the last call."""
        entries = self._chrome.get_log("browser")
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def renew(self) -> None:
        """Replace all windows by an empty one, and forget cookies, cache and messages."""
        windows = self._chrome.window_handles
        self._chrome.switch_to.new_window("window")
        empty = self._chrome.current_window_handle
        for window in windows:
            self._chrome.switch_to.window(window)
            self._chrome.close()
        self._chrome.switch_to.window(empty)
        self.forget()
        self.devtools("Network.clearBrowserCache")
        self.complaints()

    def close(self) -> None:
        self._chrome.quit()

    def _chain(self) -> ActionChains:
        return ActionChains(self._chrome, duration=0)

    def _visible(self, selector: str) -> WebElement | None:
        visible: WebElement | None = self.run(_VISIBLE, selector)
        return visible

    def _text_now(self, selector: str) -> str:
        texts = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector
        )
        return " ".join(texts).replace("\u00a0", " ")


Open = Callable[..., Browser]
"""The fixture `open_browser(size, language=..., dark=...)`, which gives browsers to a test."""
