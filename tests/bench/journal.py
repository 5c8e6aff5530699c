"""Tickets per second with the journal on, against the same sales with it off, in turn.

Off, the tables of a sale have neither the journal's trigger nor its index, and their rows no number
of a transaction. On, a process of its own seals batches meanwhile, as often as the sweeper has it
done.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from django.conf import settings
from django.db import connections

from core.journal.install import COLUMN
from core.journal.services import last_batch
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from tests.bench import client
from tests.bench.pairs import interleave
from tests.bench.sale import CONNECTIONS, Sales
from tests.support import factories

_HOT = ("lototrot_ticket", "ledger_transfer")
_SEALER = """
import sys, django
django.setup()
from core.journal.services import batch_seal
for _ in sys.stdin:
    print(batch_seal(), flush=True)
"""


def _execute(*statements: str) -> None:
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _off() -> None:
    for table in _HOT:
        _execute(
            f"ALTER TABLE {table} DISABLE TRIGGER journal_rows",
            f"DROP INDEX IF EXISTS {table}_journal",
            f"ALTER TABLE {table} ALTER {COLUMN} DROP NOT NULL, ALTER {COLUMN} DROP DEFAULT",
        )


def _on() -> None:
    for table in _HOT:
        _execute(
            f"ALTER TABLE {table} ENABLE TRIGGER journal_rows,"
            f" ALTER {COLUMN} SET DEFAULT pg_current_xact_id()::text::bigint",
            f"CREATE INDEX IF NOT EXISTS {table}_journal ON {table} ({COLUMN})",
        )


class _Sealer:
    """A process that seals a batch whenever it is told to."""

    def __init__(self) -> None:
        self.every: float = settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SEALER],
            cwd=ROOT,
            env=dict(os.environ),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def seal(self) -> None:
        """Have a batch sealed, and wait until it is."""
        assert self.process.stdin and self.process.stdout
        print(file=self.process.stdin, flush=True)
        if not self.process.stdout.readline():
            raise RuntimeError("the sealing stopped")

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Seal at once and then every few seconds, until the last one is done."""
        over = threading.Event()

        def work() -> None:
            self.seal()
            while not over.wait(self.every):
                self.seal()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `journal.*`. Every answer must be 201: anything else is an error of the run."""
    contest = factories.contest(factories.meeting(numbers=range(1, 16)))
    points = [factories.point() for _ in range(CONNECTIONS)]
    for point in points:
        factories.acknowledge(contest, point)
    sales = Sales(contest, points, Random(20060305))

    def sold() -> float:
        load = client.run(
            stack.base_url, connections=CONNECTIONS, seconds=seconds, request=sales.request
        )
        if set(load.statuses) != {201}:
            raise RuntimeError(f"sales were refused: {dict(load.statuses)}")
        return load.per_s(201)

    def without() -> float:
        _off()
        return sold()

    sealer = _Sealer()

    def journaled() -> float:
        _on()
        with sealer.at_work():
            return sold()

    try:
        sealer.seal()
        measured = interleave(without, journaled, pairs=pairs)
    finally:
        sealer.process.kill()
        sealer.process.wait()
    last = last_batch()
    if last is None:
        raise RuntimeError("nothing was sealed")
    return {
        "journal.off_per_s": sorted(measured.baseline)[pairs // 2],
        "journal.on_per_s": sorted(measured.ours)[pairs // 2],
        "journal.sale_ratio": measured.ratio,
        "journal.batches": float(last.number),
    }
