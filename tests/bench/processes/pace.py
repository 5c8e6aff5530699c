"""Do acts on one history, on command, and print the processor time that they took in the server.

The first line of the input is the history: its weeks, and its terminals with their tokens. The next
meeting is put on sale, and each further line is a command: `sell 200`, `settle`, `pay 50`. Each is
answered by a line of JSON: the acts done, and the seconds of the server's processor in all.
"""

import json
import sys
from datetime import timedelta
from typing import Any

import django

from tests.bench.processor import backend_s


def main() -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from core.journal.acting import name_process
    from tests.support.history import acts, weeks

    name_process("command:bench")
    history = _history(json.loads(sys.stdin.readline()))
    contest = history.on_sale()
    sunday = history.saturday + timedelta(days=1)
    sold = 0
    _answer(0, 0.0)
    for line in sys.stdin:
        command, _, number = line.strip().partition(" ")
        count = int(number or 0)
        prizes = acts.unpaid(contest)[:count] if command == "pay" else []
        began = backend_s()
        if command == "sell":
            sold += history.sell(contest, count).count
        elif command == "pay":
            count = acts.pay(contest, sunday, prizes).count
        else:
            acts.print_all(contest, sold)
            history.settle(contest)
            weeks.to_sunday(sunday)
        _answer(count, backend_s() - began)


def _history(told: dict[str, Any]) -> Any:
    """Return the history with the terminals that are told, as its own process has it."""
    from core.database.tokens import token_digest
    from core.premises.models import OperatorSession
    from tests.support.factories import Point
    from tests.support.history.weeks import History

    all_sessions = OperatorSession.objects.select_related("terminal__premises", "operator")
    digests = [token_digest(session) for _, session in told["points"]]
    sessions = {
        bytes(each.token_digest): each for each in all_sessions.filter(token_digest__in=digests)
    }
    points = []
    for token, session_token in told["points"]:
        session = sessions[token_digest(session_token)]
        terminal = session.terminal
        points.append(
            Point(terminal.premises, terminal, session.operator, session, token, session_token)
        )
    return History(points, told["tickets"], weeks=told["weeks"])


def _answer(count: int, seconds: float) -> None:
    print(json.dumps({"count": count, "seconds": seconds}), flush=True)


main()
