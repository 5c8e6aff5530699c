"""Seal a contest, or only read and hash its tickets; print seconds and memory as JSON.

The arguments are the id of a closed contest and `seal` or `raw`. The contest is sealed as a worker
does it, and the transaction is rolled back. `peak_mb` is of the process that needed more.
"""

import hashlib
import inspect
import json
import resource
import sys
import time

import django

_RAW = """
COPY (SELECT terminal_id, premises_id, sold_at, bets, amount_cents, {legs}, code_commitment, id
        FROM lototrot_ticket WHERE contest_id = %s ORDER BY id) TO STDOUT (FORMAT BINARY)
"""


def main(contest_id: int, act: str) -> None:
    from core.config import celery  # noqa: F401  (names the settings; a worker has it loaded)

    django.setup()
    from django.db import transaction

    with transaction.atomic():
        seconds = _seal(contest_id) if act == "seal" else _raw(contest_id)
        transaction.set_rollback(True)
    whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    peak_mb = max(resource.getrusage(who).ru_maxrss for who in whose) / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb}))


def _seal(contest_id: int) -> float:
    from lototrot.services.seal.sealing import contest_seal

    began = time.perf_counter()
    # Without a transaction of its own: within a savepoint it would be sealed by one process.
    inspect.unwrap(contest_seal)(contest_id=contest_id)
    return time.perf_counter() - began


def _raw(contest_id: int) -> float:
    """Read the same tickets in the same order and hash their bytes; return the seconds."""
    from django.db import connection

    from core.database.binary_copy import rows_of
    from lototrot.models.contest import Contest
    from lototrot.models.tickets import LEG_COLUMNS

    legs = LEG_COLUMNS[: len(Contest.objects.get(pk=contest_id).offered_masks)]
    began = time.perf_counter()
    digest = hashlib.sha256()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0; SET LOCAL jit = off")
        with cursor.copy(_RAW.format(legs=", ".join(legs)), [contest_id]) as copy:
            for row in rows_of(copy):
                digest.update(row)
    return time.perf_counter() - began


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
