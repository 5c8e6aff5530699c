"""Sell tickets in a process without end, so that a test can kill it.

`prepare` puts a contest on sale and returns the plan; `sell_at_once` sells, in several threads, so
that sales meet in one statement. What a seller is about to ask and what it was answered goes to its
standard output, a line at a time and past every buffer: `asked UUID`, `sold UUID`. A connection
lost is made again and the same UUID sent again, as a terminal would.
"""

import os
import threading
import time
import traceback
import uuid
from typing import Any

import django

django.setup()

from django.db import InterfaceError, OperationalError, connection  # noqa: E402

from core.premises.access import TerminalCredentials  # noqa: E402
from lototrot.services.tickets.selling import SaleRequest, ticket_sell  # noqa: E402
from tests.support.factories.request_uuids import SystemClock  # noqa: E402

AT_ONCE = 3
"""Threads that sell in one process."""


def request_of(plan: dict[str, Any], ident: uuid.UUID) -> SaleRequest:
    contest, price_cents = plan["contest"], plan["price_cents"]
    return SaleRequest(ident, contest, ((1,),) * 7, price_cents, price_cents)


def credentials_of(plan: dict[str, Any]) -> TerminalCredentials:
    return TerminalCredentials.of(str(plan["token"]), str(plan["session"]))


def prepare() -> dict[str, Any]:
    from tests.support.concurrency.sales import selling_point

    contest, place = selling_point()
    return {
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "token": place.token,
        "session": place.session_token,
    }


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def sell_at_once(plan: dict[str, Any]) -> None:
    """Sell in every thread. A fault in one ends the process."""

    def end(fault: threading.ExceptHookArgs) -> None:
        traceback.print_exception(fault.exc_value)
        os._exit(1)

    threading.excepthook = end
    threads = [threading.Thread(target=sell, args=(plan,)) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sell(plan: dict[str, Any]) -> None:
    system_clock = SystemClock()
    while True:
        ident = system_clock.request_uuid()
        say("asked", ident)
        while True:
            try:
                ticket_sell(credentials=credentials_of(plan), request=request_of(plan, ident))
            except (OperationalError, InterfaceError):
                connection.close()
                time.sleep(0.1)
                continue
            break
        say("sold", ident)
