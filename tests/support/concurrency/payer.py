"""Pay tickets one after another in a process that a test kills.

The plan names a terminal, and for each ticket its code and the UUID of its payment, which the
process writes to its standard output past every buffer: `asked UUID`, then `paid UUID`.
"""

import os
import uuid
from typing import Any

import django

django.setup()

from core.payoffice.services.paying import PayRequest, payment_make  # noqa: E402
from core.premises.access import TerminalCredentials, terminal_actor  # noqa: E402


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def pay(plan: dict[str, Any]) -> None:
    at = terminal_actor(TerminalCredentials.of(plan["token"], plan["session"]))
    for ident, code in plan["tickets"]:
        say("asked", ident)
        request = PayRequest(uuid.UUID(ident), plan["cents"], intact=True, code=code)
        payment_make(at=at, request=request)
        say("paid", ident)
