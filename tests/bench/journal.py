"""Tickets per second with the journal on, against the same sales with it off, in turn.

Off is a table without the journal's column being filled, without its index and without its
trigger. On, batches are sealed meanwhile, as the sweeper has them sealed.
"""

from random import Random

from django.db import connections

from core.embedded.stack import Stack
from core.journal.install import COLUMN
from tests import factories
from tests.bench import client
from tests.bench.pairs import interleave
from tests.bench.sale import CONNECTIONS, Sales

_HOT = ("lototrot_ticket", "ledger_transfer")


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
            f"CREATE INDEX {table}_journal ON {table} ({COLUMN})",
        )


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `journal.*`."""
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

    def journaled() -> float:
        _on()
        return sold()

    measured = interleave(without, journaled, pairs=pairs)
    return {
        "journal.off_per_s": sorted(measured.baseline)[pairs // 2],
        "journal.on_per_s": sorted(measured.ours)[pairs // 2],
        "journal.sale_ratio": measured.ratio,
    }
