"""Run processes that sell and play until a test kills them, and read what they wrote before."""

import signal
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support.concurrency import player, seller
from tests.support.concurrency.forking import Forked
from tests.support.concurrency.sales import eventually

SELLERS = 4


def lines_of(output: Path) -> list[str]:
    """Return the whole lines that a process has written; none before it has opened the file."""
    return output.read_text().split("\n")[:-1] if output.exists() else []


class Seller:
    """A selling process and its output."""

    def __init__(self, environment: dict[str, str], plan: dict[str, Any], output: Path) -> None:
        self._output = output
        self._process = Forked(seller.sell_at_once, plan, environment=environment, output=output)

    def lines(self, word: str) -> list[uuid.UUID]:
        lines = lines_of(self._output)
        return [uuid.UUID(line.split()[1]) for line in lines if line.startswith(word)]

    def kill(self) -> None:
        """Kill the process if it runs. It must not have ended by itself."""
        assert self._process.poll() in (None, -signal.SIGKILL), self._process.errors()
        self._process.kill()

    @property
    def in_doubt(self) -> set[uuid.UUID]:
        return set(self.lines("asked")) - set(self.lines("sold"))


@contextmanager
def sellers(
    environment: dict[str, str], plan: dict[str, Any], folder: Path, *, sales: int
) -> Iterator[list[Seller]]:
    """Yield selling processes that have sold some tickets each. Kill them at the end."""
    running = [Seller(environment, plan, folder / f"{n}.txt") for n in range(SELLERS)]
    try:
        eventually(lambda: all(len(each.lines("sold")) >= sales for each in running))
        yield running
    finally:
        for each in running:
            each.kill()


def audit(
    session: psycopg.Connection, answered: set[uuid.UUID], asked: set[uuid.UUID]
) -> set[uuid.UUID]:
    """Compare the tables with the answers that terminals got. Return the UUIDs that have a ticket.

    It reads by SQL only: each ticket has one transfer and each transfer has a ticket.
    """
    halves = session.execute(
        "SELECT count(*) FROM lototrot_ticket t FULL JOIN (SELECT * FROM ledger_transfer"
        " WHERE kind = 'lototrot.sale') x"
        " ON x.reference = t.uuid AND x.line = 0 AND x.amount_cents = t.amount_cents"
        " AND x.at = t.sold_at WHERE t.id IS NULL OR x.id IS NULL"
    ).fetchone()
    rows = [row[0] for row in session.execute("SELECT uuid FROM lototrot_ticket")]
    assert halves == (0,)
    assert len(rows) == len(set(rows))
    assert answered <= set(rows)
    assert set(rows) <= asked
    return set(rows)


class Players:
    """A process of terminals and its output."""

    def __init__(self, plan: dict[str, Any], environment: dict[str, str], output: Path) -> None:
        self.plan = plan
        self._environment = environment
        self._output = output
        self.process = self._start(())

    def _start(self, doubtful: Iterable[tuple[str, str]]) -> Forked:
        resumed: dict[str, list[str]] = {}
        for ident, number in doubtful:
            resumed.setdefault(number, []).append(ident)
        terminals = [
            each | {"doubtful": resumed.get(str(each["number"]), [])}
            for each in self.plan["terminals"]
        ]
        plan = self.plan | {"terminals": terminals}
        return Forked(player.main, plan, environment=self._environment, output=self._output)

    def lines(self, word: str) -> list[list[str]]:
        lines = (line.split() for line in lines_of(self._output))
        return [line[1:] for line in lines if line and line[0] == word]

    def doubtful(self) -> list[tuple[str, str]]:
        """Return the requests without an answer."""
        answered = {line[0] for word in ("played", "refused") for line in self.lines(word)}
        return [(ident, number) for ident, number in self.lines("asked") if ident not in answered]

    def kill_and_resume(self) -> None:
        """Kill the process and start it again with its UUIDs, as a machine does that lost its
        power.
        """
        self.process.kill()
        self.process = self._start(self.doubtful())
