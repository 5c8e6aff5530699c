"""Whoever says that something was touched, each by the name that docs/proofs.md gives it."""

import json
from collections.abc import Callable, Collection
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from core.journal.export import export
from core.journal.verifying import What, verify
from core.kernel.errors import DomainError
from core.ledger.rebuild import differences
from core.ledger.selectors import trial
from core.proofs.models import LogEntry
from core.statements import nightly as statements
from lototrot.services import export as tickets
from lototrot.services.auditing import audit_contests
from lototrot.services.proving import ticket_proof
from promotrot.services import publications
from promotrot.services.emissions import emission_get
from tests.tampering.day import Day
from tests.verify.load import verifier
from tests.verify.signing import written

entry = verifier("entry")
Verifier = Callable[[Day, Path], bool]
"""Whether it refuses the day as it stands in the database."""


def journal_findings(tables: Collection[str]) -> set[tuple[str, str, int | None, int | None]]:
    """What `journal_verify` finds: its code, with the rule's name; table, row and batch."""
    found = set()
    for each in verify(most=100_000, tables=tables).findings:
        code = f"rule {each.rule}" if each.rule else str(each.what)
        if each.what is not What.TRIGGER:  # disabled for what is done to the table, and no longer
            found.add((code, each.table, each.row, each.batch))
    return found


def _seals(day: Day, folder: Path) -> bool:
    try:
        call_command("seals_verify", stdout=StringIO())
    except CommandError:
        return True
    return False


def _proof(day: Day, folder: Path) -> bool:
    """The system cannot make the proof any more that the holder had."""
    try:
        made = ticket_proof(presented_code=day.code)
    except DomainError:
        return True
    return made != day.proof


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


def _refuses(check: Callable[..., str], *arguments: Any) -> bool:
    """A stand-alone verifier, on its arguments."""
    try:
        check(*map(str, arguments))
    except entry.Refused:
        return True
    return False


def _present(kind: str) -> dict[str, Any]:
    """An entry as the database has it now; nothing where it is gone."""
    found = LogEntry.objects.select_related("key").filter(kind=kind).order_by("sequence").last()
    return found.published() if found else {}


def _log(day: Day, folder: Path) -> bool:
    """The log of the database, under the key that the stranger has."""
    present = LogEntry.objects.select_related("key").order_by("sequence")
    entries = [each.published() for each in present]
    file = folder / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)), "utf-8")
    return _refuses(verifier("public_log").check, file, day.key)


def _draw(day: Day, folder: Path) -> bool:
    files = [
        written(folder, f"{kind}.json", _present(kind))
        for kind in ("draws.minutes", "draws.commitment")
    ]
    return _refuses(verifier("draw").check, day.key, *files)


def _settlement(day: Day, folder: Path) -> bool:
    """The certificate, seal and amendment that were published; the tickets of the database."""
    file = folder / "tickets"
    try:
        chunks = tickets.tickets_export(by=day.auditor, contest_id=day.contest.pk)
        file.write_bytes(b"".join(chunks))
    except DomainError:
        return True
    certificate, seal, amendment = (
        written(folder, f"{kind}.json", day.entry(f"lototrot.{kind}"))
        for kind in ("settlement", "seal", "amendment")
    )
    return _refuses(verifier("settlement").check, day.key, certificate, file, seal, amendment)


def _emission(day: Day, folder: Path) -> bool:
    """What was published of the emission; the list of tickets of the database."""
    files = [
        written(
            folder, f"{kind}.json",
            next(e for e in day.log
                 if e["kind"] == kind and e["subject"] == day.emission.reference),
        )
        for kind in publications.KINDS
    ]  # fmt: skip
    listed = folder / "emission.csv"
    text = "".join(publications.tickets_file(emission_get(day.emission.reference)))
    listed.write_text(text, "ascii", newline="\n")
    return _refuses(verifier("emission").check, day.key, *files, listed)


def _journal(day: Day, folder: Path) -> bool:
    """The journal exported now, against the log as it was published."""
    exported, log = folder / "journal.jsonl", folder / "published.jsonl"
    with exported.open("w", encoding="utf-8") as to:
        export(to)
    log.write_text("\n".join(map(json.dumps, day.log)), "utf-8")
    return _refuses(verifier("journal").check, exported, log, day.key)


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
