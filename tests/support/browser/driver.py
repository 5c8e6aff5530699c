"""A browser for tests: Chromium by the W3C WebDriver protocol, over the standard library alone."""

import base64
import gzip
import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.tools.embedded.stack import free_port

PATIENCE_S = 20.0
_LOOK_EVERY_S = 0.02
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--kiosk-printing",
    "--font-render-hinting=none",
)
KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Tab": "\ue004",
    "Space": " ",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
    "Backspace": "\ue003",
    "F2": "\ue032",
    "F4": "\ue034",
    "F6": "\ue036",
    "F8": "\ue038",
    "F9": "\ue039",
    "Alt": "\ue00a",
}

_TO_THE_MIDDLE = "document.querySelector(arguments[0])?.scrollIntoView({block: 'center'})"


class BrowserError(Exception):
    """The driver refused a command: its error and message."""


def browser_missing() -> str:
    """Why there is no browser to test with; empty when there is one."""
    if not shutil.which("chromedriver"):
        return "no chromedriver on PATH"
    if not any(shutil.which(name) for name in _CHROMIUMS):
        return "no Chromium on PATH"
    return ""


FIRST_LOAD_BYTES = 150_000  # at most, of any screen, compressed


@dataclass(frozen=True, slots=True)
class Size:
    """A window: CSS pixels, device pixels per one, and whether it is touched."""

    width: int
    height: int
    scale: float = 1.0
    touch: bool = False


PHONE = Size(390, 844, 2.0, touch=True)
TERMINAL = Size(1280, 800, touch=True)
WALL = Size(1920, 1080)


class Driver:
    """chromedriver as a process; makes browsers."""

    def __init__(self, log: Path) -> None:
        self._port = free_port()
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            ["chromedriver", f"--port={self._port}"],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def browser(self, size: Size, *, language: str = "ca", dark: bool = False) -> "Browser":
        """A new browser with nothing kept from another one."""
        chromium = next(found for name in _CHROMIUMS if (found := shutil.which(name)))
        options = {
            "binary": chromium,
            "args": [*_FLAGS, f"--window-size={size.width},{size.height}", f"--lang={language}"],
            "prefs": {"intl.accept_languages": language},
        }
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        url = f"http://127.0.0.1:{self._port}"
        body = {"capabilities": {"alwaysMatch": capabilities}}
        made = until(lambda: self._session(url, body), "chromedriver does not answer")
        browser = Browser(f"{url}/session/{made['sessionId']}")
        browser.resize(size)
        browser.look(dark=dark)
        return browser

    def _session(self, url: str, body: dict[str, Any]) -> Any:
        try:
            return _send("POST", f"{url}/session", body)
        except OSError:
            if self._process.poll() is not None:
                raise BrowserError("chromedriver ended by itself") from None
            return None  # not listening yet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()


def _send(method: str, url: str, body: Mapping[str, Any] | None = None) -> Any:
    data = json.dumps(body or {}).encode() if method == "POST" else None
    json_body = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, json_body, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return json.load(answer)["value"]
    except urllib.error.HTTPError as refused:
        value = json.load(refused)["value"]
        raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from None


def until(condition: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
    """The first true answer of `condition`; what was waited for must come."""
    deadline = time.monotonic() + patience_s
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"in vain waited for: {what}")
        time.sleep(_LOOK_EVERY_S)
    return found


class Browser:
    """One browser window. Elements are found by CSS selectors and waited for."""

    def __init__(self, session: str) -> None:
        self._session = session

    def go(self, url: str) -> None:
        self._post("url", url=url)

    def reload(self) -> None:
        self._post("refresh")

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a function's body in the page."""
        return self._post("execute/sync", script=script, args=list(arguments))

    def run_async(self, script: str, *arguments: Any) -> Any:
        """The same, for a body that calls its last argument with the value."""
        return self._post("execute/async", script=script, args=list(arguments))

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self._post("goog/cdp/execute", cmd=command, params=parameters)

    def at_load(self, script: str) -> None:
        """Run a script in every page before the page's own."""
        self.devtools("Page.addScriptToEvaluateOnNewDocument", source=script)

    def all(self, selector: str) -> list[str]:
        found = self._post("elements", using="css selector", value=selector)
        return [each[_ELEMENT] for each in found]

    def find(self, selector: str) -> str:
        """The first shown element."""
        return str(until(lambda: self._shown(selector), f"{selector} to be shown"))

    def gone(self, selector: str) -> None:
        until(lambda: not self._shown(selector), f"{selector} to go")

    def shows(self, selector: str) -> bool:
        return bool(self._shown(selector))

    def text(self, selector: str) -> str:
        return str(self._get(f"element/{self.find(selector)}/text"))

    def says(self, selector: str, words: str) -> None:
        """Wait until an element's text has the words, spaces that do not break taken as spaces."""
        wanted = words.replace("\u00a0", " ")
        until(
            lambda: self._shown(selector) and wanted in self._text_now(selector),
            f"{words!r} in {selector}, which says {self._text_now(selector)!r}",
        )

    def click(self, selector: str) -> None:
        """Tap it once it is there and nothing covers it."""
        until(lambda: self.tap(selector), f"{selector} to be tapped")

    def tap(self, selector: str) -> bool:
        """Tap it if it is there now and nothing covers it; whether that was so."""
        element = self._shown(selector)
        if not element:
            return False
        try:
            self._post(f"element/{element}/click")
        except BrowserError as error:
            if not any(why in str(error) for why in ("intercepted", "stale", "interactable")):
                raise
            self.run(_TO_THE_MIDDLE, selector)  # as who sees something in front of it would
            return False
        return True

    def type(self, selector: str, text: str) -> None:
        self._post(f"element/{self.find(selector)}/value", text=text)

    def attach(self, selector: str, path: Path) -> None:
        """Choose a file. What is clicked for it may be something else than its field."""
        (field,) = until(lambda: self.all(selector), selector)
        self._post(f"element/{field}/value", text=str(path))

    def forget(self) -> None:
        """Lose every cookie."""
        self.devtools("Network.clearBrowserCookies")

    def keys(self, *names: str) -> None:
        """Press keys, as names of KEYS or characters, where the focus is."""
        actions = [
            {"type": kind, "value": KEYS.get(name, name)}
            for name in names
            for kind in ("keyDown", "keyUp")
        ]
        self._post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is there, as who has no mouse does."""
        for _ in range(160):
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys("Tab")
        raise AssertionError(f"Tab does not come to {selector}")

    def chord(self, held: str, name: str) -> None:
        """A key while another is held."""
        presses = [("keyDown", held), ("keyDown", name), ("keyUp", name), ("keyUp", held)]
        actions = [{"type": kind, "value": KEYS.get(key, key)} for kind, key in presses]
        self._post("actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def window(self, url: str) -> None:
        """Open an address in a window of its own and stay where we are."""
        here = self._get("window")
        made = self._post("window/new", type="window")
        self._post("window", handle=made["handle"])
        self.go(url)
        self._post("window", handle=here)

    def other_window(self) -> None:
        """Look at the other of two windows."""
        here = self._get("window")
        (other,) = [handle for handle in self._get("window/handles") if handle != here]
        self._post("window", handle=other)

    def offline(self, cut: bool) -> None:
        """Take the network away from the page, or give it back."""
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

    def look(self, *, dark: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme, still])

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def first_load(self) -> dict[str, int]:
        """The page and all that it has asked for so far: by address, its bytes once compressed."""
        loaded = self.run(
            "return [location.href, ...performance.getEntriesByType('resource').map(e => e.name)]"
        )
        sizes = {}
        for url in loaded:
            with urllib.request.urlopen(url) as answer:  # noqa: S310
                sizes[url] = len(gzip.compress(answer.read(), 6, mtime=0))
        return sizes

    def complaints(self) -> list[str]:
        """What the page's console has said since last asked: errors and refused content."""
        entries = self._post("se/log", type="browser")
        return [each["message"] for each in entries if each["level"] in ("SEVERE", "WARNING")]

    def close(self) -> None:
        _send("DELETE", self._session)

    def _shown(self, selector: str) -> str:
        for element in self.all(selector):
            try:
                if self._get(f"element/{element}/displayed"):
                    return element
            except BrowserError:  # gone from the page meanwhile
                continue
        return ""

    def _text_now(self, selector: str) -> str:
        texts = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector
        )
        return " ".join(texts).replace("\u00a0", " ")

    def _get(self, path: str) -> Any:
        return _send("GET", f"{self._session}/{path}")

    def _post(self, path: str, **body: Any) -> Any:
        return _send("POST", f"{self._session}/{path}", body)


def required() -> bool:
    """Whether a missing browser is a failure: LOTOTROT_BROWSER=required, as CI sets it."""
    return os.environ.get("LOTOTROT_BROWSER") == "required"


Open = Callable[..., Browser]
"""`open_browser(size, language=..., dark=...)`: the fixture that gives browsers to a test."""
