"""Let Lighthouse judge board, check page and terminal of a running system: `make lighthouse`.

    python -m tests.support.browser.lighthouse

It starts the system with a contest and a game on sale, opens each page in Chromium, and ends with 1
if performance, accessibility or best practices of one is below 95. Performance is what Lighthouse
computes for a phone on a slow line (`mobile`) or an office's computer (`desktop`), from what it
measured: the middle of `TURNS`, and less on a machine with other load, where the speed that is
printed beside it falls. The scores go to var/lighthouse/scores.json, and each report beside it.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack

LEAST = 95
"""The least score of every category of every page, of 100."""
CATEGORIES = ("performance", "accessibility", "best-practices")
TURNS = 3
PACKAGES = ROOT / "var" / "lighthouse"
_SCRIPT = Path(__file__).with_suffix(".mjs")


@dataclass(frozen=True, slots=True)
class Page:
    """A page to judge. `signed_on`: in the window in which an operator has signed on."""

    name: str
    url: str
    form: str
    signed_on: bool = False
    turns: int = TURNS


def table(pages: Sequence[dict[str, Any]]) -> list[str]:
    """Return the scores as lines of a table, with what was found under each page."""
    lines = [f"{'':18}" + "".join(f"{name:>16}" for name in (*CATEGORIES, "speed"))]
    for page in pages:
        scores = "".join(f"{page['scores'].get(name)!s:>16}" for name in CATEGORIES)
        lines += [
            f"{page['name']:18}{scores}{page['speed']:>16.0f}",
            *(f"    {each}" for each in page["failed"]),
        ]
    return lines


def too_low(pages: Sequence[dict[str, Any]]) -> list[str]:
    """Return the pages below `LEAST`, in words. A page that could not be judged is too low."""
    return [
        f"{page['name']}: {category} {page['scores'].get(category)} {page['error']}".strip()
        for page in pages
        for category in CATEGORIES
        if (page["scores"].get(category) or 0) < LEAST
    ]


def _judged(stack: Stack) -> list[dict[str, Any]]:
    """Put a contest and a game on sale, sign an operator on, and return the judged pages."""
    from core.journal.acting import name_process
    from tests.support import admin_desk, emitting, factories
    from tests.support.browser import desk
    from tests.support.browser.driver import TERMINAL, Driver

    name_process("command:bench")
    shop = desk.shop(terminal=f"T-{secrets.token_hex(3)}")
    emitting.opened(emitting.small())
    _, code = admin_desk.sold_with_code(shop.contest, factories.point())
    url = stack.base_url
    pages = [
        Page("board-phone", f"{url}/?lang=ca", "mobile"),
        Page("board-desktop", f"{url}/?lang=ca", "desktop"),
        Page("check-phone", f"{url}/check?lang=ca#{code}", "mobile"),
        Page("check-desktop", f"{url}/check?lang=ca#{code}", "desktop"),
        Page("terminal", f"{url}/terminal/?lang=ca", "desktop", signed_on=True),
    ]
    with tempfile.TemporaryDirectory() as folder, Driver(Path(folder, "log")) as driver:
        browser = driver.browser(TERMINAL)
        try:
            browser.go(pages[0].url)
            browser.find(".race .runner")  # published
            desk.enrol(browser, url, shop)
            desk.to_sale(browser)
            port = browser.debugger_address.rpartition(":")[2]
            done = subprocess.run(
                ["node", str(_SCRIPT), str(PACKAGES), port, str(PACKAGES)],
                input=json.dumps([asdict(page) for page in pages]),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        finally:
            browser.close()
    report: list[dict[str, Any]] = json.loads(done.stdout)
    return report


def main() -> int:
    """Judge the pages. Return the exit code of the command."""
    os.environ["PROFILE"] = "development"
    with (
        tempfile.TemporaryDirectory(prefix="lighthouse-") as folder,
        Stack(folder=Path(folder), workers=0, beat=False) as stack,
    ):
        os.environ |= {
            name: stack.environment[name]
            for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
        }
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
        import django

        django.setup()
        pages = _judged(stack)
    (PACKAGES / "scores.json").write_text(json.dumps(pages, indent=2) + "\n")
    print("\n".join(table(pages)))
    low = too_low(pages)
    if low:
        print(f"Below {LEAST}:", *low, sep="\n  ", file=sys.stderr)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
