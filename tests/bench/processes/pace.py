"""Do acts on one history, on command, and print what one of them cost.

The first line of the input is the history: its weeks, and its terminals with their tokens. Each
further line is a command: first `night`, `sweep`, `metrics` and `live`, which are done again and
again while nothing is on sale, then `sell 200`, `settle` and `pay 50` of the next meeting, each of
them again and again, too. Each is answered by a line of JSON: what one act cost (`measuring.Cost`);
of the acts of terminals only the seconds of the server's processor, and of a settlement the seconds
of a ticket.
"""

import json
import sys
import tempfile
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

from tests.bench.processor import backend_s, ours_s

_PUBLICATIONS = 5


def main() -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from core.journal.acting import name_process
    from tests.bench.growth import measuring

    name_process("command:bench")
    history = _history(json.loads(sys.stdin.readline()))
    terminals = None
    with tempfile.TemporaryDirectory() as folder:
        publish = measuring.publisher(Path(folder))
        again = {
            "night": lambda: measuring.night().cost,
            "sweep": lambda: measuring.cost(measuring.sweep),
            "metrics": lambda: measuring.cost(measuring.scrape),
            "live": lambda: measuring.cost(publish, times=_PUBLICATIONS),
        }
        _answer(seconds=0.0)
        for line in sys.stdin:
            command, _, number = line.strip().partition(" ")
            if command in again:
                _answer(**asdict(again[command]()))
            else:
                terminals = terminals or Terminals(history)
                _answer(seconds=terminals.each_s(command, int(number or 0)))


class Terminals:
    """The terminals of a history, which sell the next meeting and pay its prizes."""

    def __init__(self, history: Any) -> None:
        self._history = history
        self._contest = history.on_sale()
        self._sunday = history.saturday + timedelta(days=1)
        self._sold = 0
        self._is_closed = self._is_ordered = False

    def each_s(self, command: str, count: int) -> float:
        """Do so many acts; return the seconds of the server's processor for each.

        Of a settlement, return ours and the server's for each ticket.
        """
        from tests.support.history import acts

        if command == "settle":
            return self._settle_s()
        if command == "pay":
            self._order()
        prizes = acts.unpaid(self._contest)[:count] if command == "pay" else []
        began = backend_s()
        if command == "sell":
            count = self._history.sell(self._contest, count).count
            self._sold += count
        elif command == "pay":
            count = acts.pay(self._contest, self._sunday, prizes).count
        return (backend_s() - began) / max(1, count)

    def _settle_s(self) -> float:
        """Settle the meeting, again after a reversal; return the seconds of a ticket."""
        from core.staff.powers import Role
        from lototrot.services.settlement.settling import contest_settle, settlement_reverse
        from tests.support import factories
        from tests.support.history import acts

        if self._is_closed:
            settlement_reverse(contest_id=self._contest.pk, by=factories.staff(Role.STEWARDS))
        else:
            acts.print_all(self._contest, self._sold)
            self._history.close(self._contest)
            self._is_closed = True
        began = ours_s()
        contest_settle(contest_id=self._contest.pk)
        return (ours_s() - began) / self._sold

    def _order(self) -> None:
        """Order the settled meeting, and go to the Sunday on which its prizes are paid."""
        from tests.support import rounds
        from tests.support.history import weeks

        if not self._is_ordered:
            rounds.order(self._contest)
            weeks.to_sunday(self._sunday)
            self._is_ordered = True


def _history(state: dict[str, Any]) -> Any:
    """Return the history with the terminals that are told, as its own process has it."""
    from core.database.tokens import token_digest
    from core.premises.models import OperatorSession
    from tests.support.factories import Point
    from tests.support.history.weeks import History

    all_sessions = OperatorSession.objects.select_related("terminal__premises", "operator")
    digests = [token_digest(session) for _, session in state["points"]]
    sessions = {
        bytes(each.token_digest): each for each in all_sessions.filter(token_digest__in=digests)
    }
    points = []
    for token, session_token in state["points"]:
        session = sessions[token_digest(session_token)]
        terminal = session.terminal
        points.append(
            Point(terminal.premises, terminal, session.operator, session, token, session_token)
        )
    return History(points, state["tickets"], weeks=state["weeks"], seconds=ours_s)


def _answer(**figures: float) -> None:
    print(json.dumps(figures), flush=True)


main()
