"""Run processes that sell and play until a test kills them, and read what they wrote before."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from core.tools.embedded.server import ROOT
from tests.support.concurrency.sales import eventually

SELLERS = 4


class Seller:
    """A selling process and its output."""

    def __init__(self, environment: dict[str, str], plan: dict[str, Any], output: Path) -> None:
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.support.concurrency.seller",
                    "sell",
                    json.dumps(plan),
                ],
                cwd=ROOT,
                env=os.environ | environment,
                stdout=file,
                stderr=subprocess.PIPE,
            )

    def said(self, word: str) -> list[uuid.UUID]:
        lines = self._output.read_text().split("\n")[:-1]
        return [uuid.UUID(line.split()[1]) for line in lines if line.startswith(word)]

    def kill(self) -> None:
        """Kill the process if it runs. It must not have ended by itself."""
        if self._process.returncode is not None:
            return
        assert self._process.poll() is None, self._process.communicate()[1].decode()
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    @property
    def in_doubt(self) -> set[uuid.UUID]:
        return set(self.said("asked")) - set(self.said("sold"))


@contextmanager
def sellers(
    environment: dict[str, str], plan: dict[str, Any], folder: Path, *, sales: int
) -> Iterator[list[Seller]]:
    """Yield selling processes that have sold some tickets each. Kill them at the end."""
    running = [Seller(environment, plan, folder / f"{n}.txt") for n in range(SELLERS)]
    try:
        eventually(lambda: all(len(each.said("sold")) >= sales for each in running))
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

    def _start(self, doubtful: Iterable[tuple[str, str]]) -> "subprocess.Popen[bytes]":
        resumed: dict[str, list[str]] = {}
        for ident, number in doubtful:
            resumed.setdefault(number, []).append(ident)
        terminals = [
            each | {"doubtful": resumed.get(str(each["number"]), [])}
            for each in self.plan["terminals"]
        ]
        with self._output.open("ab") as file:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.support.concurrency.player",
                    "play",
                    json.dumps(self.plan | {"terminals": terminals}),
                ],
                cwd=ROOT,
                env=os.environ | self._environment,
                stdout=file,
                stderr=subprocess.PIPE,
            )

    def said(self, word: str) -> list[list[str]]:
        lines = (line.split() for line in self._output.read_text().split("\n")[:-1])
        return [line[1:] for line in lines if line and line[0] == word]

    def doubtful(self) -> list[tuple[str, str]]:
        """Return the requests without an answer."""
        answered = {line[0] for word in ("played", "refused") for line in self.said(word)}
        return [(ident, number) for ident, number in self.said("asked") if ident not in answered]

    def kill_and_resume(self) -> None:
        """Kill the process and start it again with its UUIDs, as a machine does that lost its
        power.
        """
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        self.process = self._start(self.doubtful())
