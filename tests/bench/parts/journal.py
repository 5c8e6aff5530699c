"""Tickets sold per second with the journal on, against the same sales with it off, in turn.

With the journal off, the tables of a sale have neither its trigger nor its index, and their rows no
transaction number. With it on, another process seals batches as often as the sweeper does.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from core.journal.install import COLUMN
from core.journal.services import last_batch
from core.tools.embedded.server import ROOT
from tests.bench.pairs import interleave
from tests.bench.parts.sale import Sales
from tests.bench.store import Figures, Store, owner_execute

_HOT = ("lototrot_ticket", "ledger_transfer")
_SEALER = """
import sys, django
django.setup()
from core.journal.services import batch_seal
for _ in sys.stdin:
    print(batch_seal(), flush=True)
"""


def _journal_off() -> None:
    for table in _HOT:
        owner_execute(
            f"ALTER TABLE {table} DISABLE TRIGGER journal_rows",
            f"DROP INDEX IF EXISTS {table}_journal",
            f"ALTER TABLE {table} ALTER {COLUMN} DROP NOT NULL, ALTER {COLUMN} DROP DEFAULT",
        )


def _journal_on() -> None:
    for table in _HOT:
        owner_execute(
            f"ALTER TABLE {table} ENABLE TRIGGER journal_rows,"
            f" ALTER {COLUMN} SET DEFAULT journal_number()",
            f"CREATE INDEX IF NOT EXISTS {table}_journal ON {table} ({COLUMN})",
        )


class _Sealer:
    """A process that seals a batch whenever it is told to."""

    def __init__(self) -> None:
        self.every_s: float = settings.SWEEP_EVERY_S
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SEALER],
            cwd=ROOT,
            env=dict(os.environ),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def seal(self) -> None:
        """Tell the process to seal a batch, and wait until it has."""
        assert self.process.stdin and self.process.stdout
        print(file=self.process.stdin, flush=True)
        if not self.process.stdout.readline():
            raise RuntimeError("the sealing stopped")

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Seal at once and then every few seconds; at the end wait for the last batch."""
        over = threading.Event()

        def work() -> None:
            self.seal()
            while not over.wait(self.every_s):
                self.seal()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def measure(store: Store) -> Figures:
    """Return the figures `journal.*`. Any answer but 201 is an error of the run."""
    sealer = _Sealer()
    try:
        sealer.seal()
        with store.contest_on_sale() as (contest, points):
            sales = Sales(contest, points)

            def without() -> float:
                _journal_off()
                return store.load(sales.request).per_s(201)

            def journaled() -> float:
                _journal_on()
                with sealer.at_work():
                    return store.load(sales.request).per_s(201)

            measured = interleave(without, journaled, pairs=store.size.pairs)
    finally:
        _journal_on()
        sealer.process.kill()
        sealer.process.wait()
    last = last_batch()
    if last is None:
        raise RuntimeError("nothing was sealed")
    return {
        "journal.off_per_s": measured.baseline_median,
        "journal.on_per_s": measured.ours_median,
        "journal.sale_ratio": measured.ratio,
        "journal.batches": float(last.number),
    }
