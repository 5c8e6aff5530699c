"""The page of long work shows by itself how far it is, and in the end what came of it."""

import threading

from django.db import connections

from core.database.reading import progress
from core.longwork.kinds import Content, Outcome
from core.longwork.services import work_ask, work_do
from core.staff.powers import Role
from tests.browser.test_desks_tour import sign_on
from tests.core.longwork.conftest import OWN, Bench
from tests.core.longwork.conftest import bench as bench
from tests.support import factories
from tests.support.admin_desk import Desk, row_url
from tests.support.browser.driver import TERMINAL, Browser, Open, until
from tests.support.browser.line import Line


def test_who_looks_on_sees_it_wait_run_and_end(
    open_browser: Open, line: Line, bench: Bench
) -> None:
    seen = threading.Event()

    def does(content: Content) -> Outcome:
        progress.step("two", 2, 4)
        seen.wait(60)
        return Outcome({"rows": 3})

    bench.does = does
    desk = Desk(Role.ORGANISER, language="en")
    work = work_ask(kind=OWN, by=factories.signed_on(desk.person))
    browser = open_browser(TERMINAL, language="en")
    sign_on(browser, line.url, desk)
    browser.go(f"{line.url}{row_url(work)}")
    browser.says(".house-long", "It waits for a worker.")
    _read_once(browser)
    worker = threading.Thread(target=_do, args=(work.pk,))
    worker.start()
    try:
        browser.says(".house-long", "Step 2 of 4")
        assert browser.find("progress.house-progress").get_attribute("value") == "25"
        line.cut()
        browser.says(".house-long", "Not shown: no connection.")
        line.mend()
    finally:
        seen.set()
        worker.join()
    browser.says(".house-long", "It is done.")


def _read_once(browser: Browser) -> None:
    """Answers that say the same are not drawn again: a screen reader would read them out again."""
    asked = (
        "return performance.getEntriesByType('resource').filter((e) => "
        "e.name.endsWith(document.querySelector('[data-again]').dataset.again)).length"
    )
    until(lambda: browser.run(asked) >= 1, "the first answer")
    until(lambda: browser.run(asked) >= 2, "the second")
    browser.run("window.waits = document.querySelector('[data-goes-on]')")
    until(lambda: browser.run(asked) >= 4, "two more")
    assert browser.run("return window.waits.isConnected")


def _do(pk: int) -> None:
    try:
        work_do(pk)
    finally:
        connections.close_all()
