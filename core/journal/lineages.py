"""Number transactions by lineages, so that the journal can go on on another server.

A number of the journal is that of the server's transaction, with the journal's lineage in front:
`lineage << 44 | transaction`. The first lineage is 0. A dump, a logical copy and `pg_upgrade` bring
the rows to a server with transaction numbers of its own. Another lineage begins there. So its
numbers are above all earlier ones, whatever that server's counter says.

The public log says on which server the journal goes on, and after which batch. So a person who
keeps the log can tell that server from another copy that went on from the same past.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Max

from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_row, fetch_value
from core.journal import wire
from core.journal.models import Act, Batch
from core.kernel.canonical import Json, with_digests
from core.proofs import log
from core.proofs.models import LogEntry

LINEAGE_BITS = 44
"""A server writes for centuries before its counter has so many; a number stays below 2 ** 53."""
LINEAGE = "journal.lineage"
"""The kind of the entry in the public log by which a lineage begins."""

# The journal's numbers are below the end of a snapshot: a batch ends where an earlier snapshot
# ended, and visible acts are below the end of this one. Only this transaction's act may be above.
_NUMBERS = """
SELECT journal_servers(), system_identifier::text,
       coalesce((SELECT max((document ->> 'lineage')::bigint) FROM proofs_logentry
                  WHERE kind = %s), 0),
       greatest((SELECT end_xid FROM journal_batch ORDER BY number DESC LIMIT 1),
                (SELECT max(journal_xid) + 1 FROM journal_act), 0),
       journal_base() + greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                                 pg_current_xact_id_if_assigned()::text::bigint + 1)
  FROM pg_control_system()
"""


@dataclass(frozen=True, slots=True)
class Unbegun:
    """A server on which no lineage of the journal has begun, or not to the end.

    `servers` are those on which each lineage began, by their system identifiers; `server` is this
    one. The public log has lineages up to `published`. Rows have numbers up to, but not including,
    `used`, and the next one would be `next`.
    """

    servers: tuple[str, ...]
    server: str
    published: int
    used: int
    next: int

    @property
    def lineage(self) -> int:
        """Return the last lineage that the database knows."""
        return len(self.servers) - 1

    def __str__(self) -> str:
        if self.published != self.lineage:
            why = f"lineage {self.lineage} of the journal is not in the public log"
        elif self.servers[-1] != self.server:
            why = (
                f"lineage {self.lineage} of the journal is of server {self.servers[-1]},"
                f" and this is server {self.server}"
            )
        else:
            why = f"the next number is {self.next}, and the journal has {self.used - 1}"
        return f"{why}: run journal_lineage --begin (docs/operations/journal.md)"


def state() -> Unbegun:
    """Return the state of the journal's numbers on this server."""
    servers, server, published, used, next_number = fetch_row(_NUMBERS, [LINEAGE])
    return Unbegun(tuple(servers), server, published, used, next_number)


def lineage() -> int:
    """Return the lineage in which this database numbers its transactions."""
    number = fetch_value("SELECT journal_base() >> %s", [LINEAGE_BITS])
    return int(number)


def unbegun() -> Unbegun | None:
    """Return what the journal lacks to go on here; None if it can go on."""
    now = state()
    fits = (now.lineage, now.servers[-1]) == (now.published, now.server)
    return None if fits and now.used <= now.next else now


MOST = (1 << 53 - LINEAGE_BITS) - 1
"""The last lineage whose numbers every JSON parser reads exactly."""

_REPLACED = """
CREATE OR REPLACE FUNCTION journal_base() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT {base}::bigint $$;
CREATE OR REPLACE FUNCTION journal_servers() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT ARRAY[{servers}] $$
"""
_SEQUENCES = """
SELECT s.oid::regclass::text, t.oid::regclass::text, quote_ident(a.attname)
  FROM pg_depend d
  JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
  JOIN pg_class t ON t.oid = d.refobjid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
 WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
   AND d.deptype IN ('a', 'i') AND s.relnamespace = 'public'::regnamespace
 ORDER BY 1
"""


def lineage_begin(*, reason: str) -> LogEntry:
    """Begin a lineage on this server, and publish it. Needs the owner's connection.

    Where it had begun and was not published, it is published. It also raises the sequences that
    are behind their tables, as a logical copy leaves them. Raises keys.SigningKeyMissing;
    ValueError without a reason.
    """
    if not reason.strip():
        raise ValueError("give the reason for which the lineage begins")
    now = state()
    if now.lineage == now.published:
        _numbers_set(now)
        now = state()
    with transaction.atomic():
        hold((Lock.JOURNAL, 0))
        last = Batch.objects.order_by("-number").first()
        document: dict[str, Json] = {
            "format": "trot-lineage-1",
            "lineage": now.lineage,
            "server": now.servers[-1],
            "before": now.servers[-2],
            "batch": last.number if last else 0,
            "digest": (bytes(last.digest) if last else wire.NOTHING_BEFORE).hex(),
            "reason": reason,
        }
        return log.publish(kind=LINEAGE, subject=str(now.lineage), document=with_digests(document))


def _numbers_set(now: Unbegun) -> None:
    """Number every later transaction in the next lineage. No batch is sealed meanwhile."""
    number = now.lineage + 1
    if number > MOST:
        raise ValueError(f"there is no lineage after {MOST}")
    servers = ", ".join(f"'{each}'" for each in (*now.servers, now.server))
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [int(Lock.JOURNAL)])
        cursor.execute(_REPLACED.format(base=number << LINEAGE_BITS, servers=servers))
        _sequences_raise(cursor)


def _sequences_raise(cursor: CursorWrapper) -> None:
    cursor.execute(_SEQUENCES)
    for sequence, table, column in cursor.fetchall():
        cursor.execute(
            f"SELECT setval('{sequence}', m) FROM (SELECT max({column}) AS m FROM {table}) t,"
            f" {sequence} s WHERE m > s.last_value - CASE WHEN s.is_called THEN 0 ELSE 1 END"
        )


def faults() -> Iterator[tuple[int | None, str]]:
    """Yield the faults of the published lineages: the batch, and the fault in words."""
    # First the acts, then the log: a lineage that begins in between is not missed in the log.
    newest = Act.objects.aggregate(newest=Max("xid"))["newest"]
    entries = LogEntry.objects.filter(kind=LINEAGE).order_by("sequence")
    number = 0
    for entry in entries:
        document = entry.document
        number += 1
        if document["lineage"] != number:
            yield None, f"lineage {number} is gone, and lineage {document['lineage']} is there"
            number = document["lineage"]
        yield from _branch(number, document["batch"], document["digest"])
    beyond = number + 1 << LINEAGE_BITS
    if newest is not None and newest >= beyond:
        act = Act.objects.filter(xid__gte=beyond).order_by("xid")[0]
        yield None, f"transaction {act.xid} is of a lineage that was not published"


def _branch(number: int, batch: int, digest: str) -> Iterator[tuple[int | None, str]]:
    """Compare the published beginning of a lineage with the batches before and after."""
    base = number << LINEAGE_BITS
    around = {each.number: each for each in Batch.objects.filter(number__in=(batch, batch + 1))}
    before, after = around.get(batch), around.get(batch + 1)
    here = bytes(before.digest).hex() if before else wire.NOTHING_BEFORE.hex()
    if here != digest or (before is not None and before.end_xid > base):
        yield batch, f"lineage {number} did not begin after batch {batch} as it is here"
    if after is not None and after.end_xid <= base:
        yield (
            batch + 1,
            f"lineage {number} went on after batch {batch}, and batch {batch + 1} is of an"
            " earlier lineage: two lineages from one past",
        )
