"""Give each browser test a database, a running system on it, a network line to cut, and a browser.

Without a Chromium these tests are skipped, and say so; with LOTOTROT_BROWSER=required, as CI has
it, they fail instead.
"""

from collections.abc import Iterator

import pytest

from tests.support.browser.driver import (
    TERMINAL,
    Browser,
    Driver,
    Open,
    Size,
    browser_missing,
    required,
)
from tests.support.browser.line import Line
from tests.support.browser.site import serving
from tests.support.databases import Database


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    missing = browser_missing()
    if missing and required():
        pytest.fail(f"LOTOTROT_BROWSER=required, but there is {missing}")
    if missing:
        pytest.skip(f"no browser test without a browser: {missing} (`make browser` installs it)")
    with Driver(tmp_path_factory.mktemp("browser") / "chromedriver.log") as browser:
        yield browser


@pytest.fixture
def line(own_database: Database) -> Iterator[Line]:
    """The system on a database of this test's own, reached through a line that can be cut."""
    with serving() as port, Line(port) as own_line:
        yield own_line


@pytest.fixture
def open_browser(driver: Driver, line: Line) -> Iterator[Open]:
    """`open_browser(size, language=..., dark=...)`; all are given back at the end."""
    opened: list[Browser] = []

    def make(size: Size = TERMINAL, *, language: str = "ca", dark: bool = False) -> Browser:
        opened.append(driver.browser(size, language=language, dark=dark))
        return opened[-1]

    yield make
    for browser in opened:
        driver.take_back(browser)
