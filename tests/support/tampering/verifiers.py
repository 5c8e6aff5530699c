"""Run every verifier that docs/proofs/tampering.md names."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from core.journal.export import export
from core.journal.verifying import Fault, verify
from core.kernel.errors import DomainError
from core.ledger.books import differences
from core.ledger.selectors import trial
from core.statements import nightly as statements
from lototrot.models.sealing import Seal
from lototrot.services.seal import export as tickets
from lototrot.services.seal.proving import ticket_proof
from lototrot.services.seal.sealing import seal_verify
from lototrot.services.settlement.auditing import audit_contests
from promotrot.services import publications
from promotrot.services.emissions import emission_get
from tests.support.tampering.day import Day
from tests.support.verifying.forging import Refused, published_log, written
from tests.support.verifying.load import verifier

Verifier = Callable[[Day, Path], bool]
"""Whether it refuses the day as it stands in the database."""
_REFUSED: dict[tuple[str | bytes, ...], bool] = {}
"""The answers of the stand-alone verifiers, by their names and by the content that they read."""


def journal_findings(tables: Collection[str]) -> set[tuple[str, str, int | None, int | None]]:
    """Return the findings of `journal_verify`: code with the rule's name; table, row and batch."""
    rows = set()
    for finding in verify(most=100_000, tables=tables).findings:
        code = f"rule {finding.rule}" if finding.rule else str(finding.what)
        if (
            finding.what is not Fault.TRIGGER
        ):  # disabled for what is done to the table, and no longer
            rows.add((code, finding.table, finding.row, finding.batch))
    return rows


@contextmanager
def tables_used() -> Iterator[set[str]]:
    """Gather the tables that were read or written in the block, within a transaction.

    The server counts the scans and the rows of a transaction for each table, also for what views,
    functions and foreign keys do.
    """
    used: set[str] = set()
    before = _counts()
    yield used
    used |= {table for table, count in _counts().items() if count != before[table]}


def _counts() -> Counter[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd"
            " + n_tup_del FROM pg_stat_xact_user_tables"
        )
        return Counter(dict(cursor.fetchall()))


def _seals(day: Day, folder: Path) -> bool:
    """Return the findings of `seals_verify`, whose snapshot cannot be within a transaction."""
    try:
        for seal in Seal.objects.select_related("contest__meeting"):
            seal_verify(seal.contest)
    except DomainError:
        return True
    return False


def _proof(day: Day, folder: Path) -> bool:
    """Return whether the system can no longer make the proof that the holder had."""
    try:
        proof = ticket_proof(presented_code=day.code)
    except DomainError:
        return True
    return proof != day.proof


def _settlements(day: Day, folder: Path) -> bool:
    try:
        return bool(audit_contests().findings)
    except DomainError:
        return True


def _ledger(day: Day, folder: Path) -> bool:
    try:
        return bool(differences()[1] or trial().difference_cents)
    except DomainError:
        return True


def _statements(day: Day, folder: Path) -> bool:
    try:
        statements.audit(day.contest.day)
    except statements.AccountsUnsound:
        return True
    return False


def _refuses(check: Callable[..., str], *arguments: str | Path) -> bool:
    """Return whether a stand-alone verifier refuses its arguments.

    It reads nothing but them, so its answer for files of the same content is remembered. Most lines
    of the matrix leave most of the files as they were.
    """
    seen = (check.__module__, *map(_content, arguments))
    if seen not in _REFUSED:
        try:
            check(*map(str, arguments))
            _REFUSED[seen] = False
        except Refused:
            _REFUSED[seen] = True
    return _REFUSED[seen]


def _content(argument: str | Path) -> str | bytes:
    """Return the digest of a file, or a text as it is."""
    is_file = isinstance(argument, Path)
    return hashlib.sha256(argument.read_bytes()).digest() if is_file else argument


def _log(day: Day, folder: Path) -> bool:
    """Return the log of the database, under the key that the stranger has."""
    file = Path(written(folder, "log.jsonl", published_log()))
    return _refuses(verifier("public_log").check, file, day.key)


def _draw(day: Day, folder: Path) -> bool:
    """Return the published log, with the draw's entries as the database has them."""
    drawn = day.entry("draws.minutes")["subject"]
    others = [entry for entry in day.log if entry["subject"] != drawn]
    present = [entry for entry in published_log() if entry["subject"] == drawn]
    log = sorted([*others, *present], key=lambda entry: entry["sequence"])
    file = Path(written(folder, "drawn.jsonl", log))
    return _refuses(verifier("draw").check, file, day.key, drawn)


def _settlement(day: Day, folder: Path) -> bool:
    """Return the published entries of the settlement, with the tickets of the database."""
    file = folder / "tickets"
    try:
        chunks = tickets.tickets_export(by=day.auditor, contest_id=day.contest.pk)
        file.write_bytes(b"".join(chunks))
    except DomainError:
        return True
    log, settlement = _published(day, folder), day.entry("lototrot.settlement")["subject"]
    return _refuses(verifier("settlement").check, log, day.key, settlement, file)


def _emission(day: Day, folder: Path) -> bool:
    """Return the published entries of the emission, with the list of tickets of the database."""
    listed = folder / "emission.csv"
    reference = day.emission.reference
    text = "".join(publications.tickets_file(emission_get(reference)))
    listed.write_text(text, "ascii", newline="\n")
    log = _published(day, folder)
    return _refuses(verifier("emission").check, log, day.key, reference, listed)


def _published(day: Day, folder: Path) -> Path:
    return Path(written(folder, "published.jsonl", day.log))


def _journal(day: Day, folder: Path) -> bool:
    """Return the journal exported now, with the log as it was published."""
    exported = folder / "journal.jsonl"
    with exported.open("w", encoding="utf-8") as to:
        export(to)
    return _refuses(verifier("journal").check, exported, _published(day, folder), day.key)


VERIFIERS: dict[str, Verifier] = {
    "seals_verify": _seals,
    "a holder's proof": _proof,
    "verify/settlement.py": _settlement,
    "lototrot.audit": _settlements,
    "ledger_rebuild": _ledger,
    "statements.audit": _statements,
    "verify/public_log.py": _log,
    "verify/draw.py": _draw,
    "verify/emission.py": _emission,
    "verify/journal.py": _journal,
}
