"""Rows of an archived month leave by two persons; exactly these, and the journal knows it."""

import json
import re
import uuid
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction

from core.database import clock
from core.journal import rules
from core.journal.export import export
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import Fault, verify
from core.kernel.days import natural_day
from core.payoffice.models import Claim
from core.periods import journal_rules, nightly
from core.periods.archive import retiring
from core.periods.archive.retiring import (
    MonthTooRecent,
    PeriodNotArchived,
    PlaceMissing,
    RightStands,
    RowsNotAsArchived,
    retirement_propose,
)
from core.periods.archive.writing import (
    ArchiveOutOfOrder,
    PeriodNotClosed,
    PeriodRetired,
    archive_write,
)
from core.periods.models import ClosedPeriod, RetiredRows, Retirement
from core.premises.access import BareTerminal
from core.staff import two_persons
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from lototrot.models.tickets import PrintConfirmation, Ticket
from lototrot.selectors.selling import tickets_of_terminal
from lototrot.services.tickets.paper import slip_original
from lototrot.services.tickets.printing import SlipPrinted, print_confirm
from tests.core.periods.archive.conftest import forge, give_codes_again
from tests.core.periods.conftest import closed
from tests.support import factories
from tests.support.journaling import meanwhile, seal_all
from tests.support.verifying.forging import Refused, public_key, published_log, written
from tests.support.verifying.load import verifier

PLACE = "Safe of the Central Office"
PRINTS = "lototrot_printconfirmation"
TICKETS = "lototrot_ticket"


def proposed() -> uuid.UUID:
    by = factories.staff(Role.ORGANISER)
    return retirement_propose(by=by, number=1, kept=PLACE).uuid


def confirm(proposal: uuid.UUID) -> None:
    two_persons.confirm(proposal=proposal, by=factories.staff(Role.AUDITOR))


def removed() -> int:
    return dict(nightly.remove(natural_day(clock.now())).counts)["removed"]


def row_findings() -> list[tuple[str, str]]:
    """Return what the journal says of rows. The tickets of `rounds` are of no sale's act."""
    findings = verify().findings
    return [(each.what, each.table) for each in findings if each.what is not Fault.RULE]


def ledger_rows() -> int:
    """Return how many transfers are retired."""
    rows = RetiredRows.objects.filter(relation="ledger_transfer")
    return sum(rows.values_list("count", flat=True))


def leaving() -> int:
    """Return how many rows leave."""
    return sum(RetiredRows.objects.values_list("leaves", flat=True))


def later_print() -> None:
    """Print a ticket of a later contest: it stays."""
    sold = factories.sell(factories.contest(), factories.point())
    PrintConfirmation.objects.create(ticket_id=sold.ticket_id, confirmed_at=clock.now())


def test_archived_rows_leave_by_two_persons_and_no_others(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    later_print()
    give_codes_again()
    archive = archive_write(period=own_month, folder=tmp_path)
    seal_all()
    with pytest.raises(PlaceMissing):
        retirement_propose(by=factories.staff(Role.ORGANISER), number=1, kept=" ")
    with pytest.raises(PeriodNotClosed):
        retirement_propose(by=factories.staff(Role.ORGANISER), number=2, kept=PLACE)
    by = factories.staff(Role.ORGANISER)
    proposal = retirement_propose(by=by, number=1, kept=PLACE)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    assert removed() == 0
    confirm(proposal.uuid)
    assert PrintConfirmation.objects.count() == 4
    ledger = ledger_rows()
    assert ledger > 3
    assert (removed(), removed()) == (leaving(), 0)
    assert PrintConfirmation.objects.count() == 1
    tables = Retirement.objects.get().entry.document["tables"]
    named = [(rows["table"], rows["rows"], rows["leaves"]) for rows in tables]
    prints_and_tickets = [(PRINTS, 3, 3), ("lototrot_prize", 2, 0), (TICKETS, 3, 1)]
    marks = [("statements_mark", 1, 1), ("statements_markedbalance", 1, 1)]
    assert named[1:] == [("ledger_transfer", ledger, ledger), *prints_and_tickets, *marks]
    assert named[0][0] == "journal_act"
    for refused in (proposed, lambda: archive_write(period=own_month, folder=tmp_path)):
        with pytest.raises(PeriodRetired):
            refused()
    _verified_from_outside(tmp_path, archive.sha256)
    assert row_findings() == []
    assert [row for rule in journal_rules.RULES for row in rules.broken(rule)] == []
    forge(PRINTS, f"DELETE FROM {PRINTS}")
    assert set(row_findings()) == {(Fault.ROW_REMOVED, PRINTS), (Fault.ROWS_DIFFER, PRINTS)}
    _printed_still()
    forge(
        "periods_retiredrows",
        f"UPDATE periods_retiredrows SET last_row = last_row + 1 WHERE relation = '{PRINTS}'",
    )
    assert [name for name, _, _ in rules.broken(journal_rules.RETIRED)] == ["proofs_logentry"]


def test_a_month_is_not_retired_in_the_week_after_it(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    """A request of it may still be repeated, and would be a new act if the first one had left."""
    archive_write(period=own_month, folder=tmp_path)
    ended = "UPDATE periods_closedperiod SET ends_at = core_now() - interval '{}'"
    forge("periods_closedperiod", ended.format("6 days 23 hours"))
    with pytest.raises(MonthTooRecent) as refused:
        proposed()
    assert datetime.fromisoformat(refused.value.data["from"]) > clock.now()
    guarded = pytest.raises(DatabaseError, match="too recent")
    with connections["owner"].cursor() as owner, guarded:
        owner.execute(
            "INSERT INTO periods_retirement (period_id, archive_id, kept, proposal_id, entry_id,"
            " retired_at) SELECT period_id, id, 'here', 1, 1, core_now() FROM periods_archive"
        )
    forge("periods_closedperiod", ended.format("7 days"))
    assert proposed()


def _printed_still() -> None:
    """Ask for the prints that left: nobody prints such a ticket again, or confirms it anew."""
    tickets = Ticket.objects.filter(contest__state="ordered").order_by("pk")
    forge(
        "lototrot_unprinted",
        "INSERT INTO lototrot_unprinted (ticket_id, contest_id, listed_at, verdict, reason)"
        f" SELECT id, contest_id, sold_at, '', '' FROM lototrot_ticket"
        f" WHERE id = {tickets[0].pk}",
    )
    sold = tickets.select_related("premises")[1]
    at = BareTerminal(sold.terminal_id, sold.premises_id, sold.premises.kind, sold.operator_id)
    for act in (print_confirm, slip_original):
        with pytest.raises(SlipPrinted):
            act(by=at, ident=sold.uuid)
    assert not PrintConfirmation.objects.filter(ticket=sold).exists()
    listed = tickets_of_terminal(sold.terminal_id).order_by("pk")
    of_contest = [row.printed for row in listed if row.contest_id == sold.contest_id]
    assert of_contest == [False, True]  # the third won nothing, and left


def test_rows_that_leave_while_the_journal_is_verified_are_no_finding(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=own_month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    seal_all()

    def retire() -> None:
        confirm(proposal)
        assert removed() == leaving()

    with meanwhile("['lototrot_printconfirmation']", retire):  # its columns: its rows come next
        assert row_findings() == []
    assert not PrintConfirmation.objects.exists()


def _verified_from_outside(folder: Path, manifest: str) -> None:
    """Check archive and journal by `verify/`; each refuses a retirement of other rows."""
    seal_all()
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    exported = StringIO()
    export(exported)
    (folder / "journal").write_text(exported.getvalue(), "utf-8")
    log = published_log()
    files = (written(folder, "log.jsonl", log), public_key())
    verdict = verifier("archive").check(str(folder / "2030-03"), *files)
    assert f"manifest {manifest}; it is the archive of which rows were retired" in verdict
    assert "WHOLE" in verifier("journal").check(str(folder / "journal"), *files)
    journal = verifier("journal")
    (entry,) = (entry for entry in log if entry["kind"] == "periods.retired")
    for lie in ({"last_row": 2, "rows": 2}, {"entries_sha256": "00" * 32}):
        document = json.loads(json.dumps(entry["document"]))
        next(rows for rows in document["tables"] if rows["table"] == PRINTS).update(lie)
        retired = journal.Retired([document])
        reader = journal.Journal(journal.keys_in_force(journal.Log(*files)), retired)
        reader.read(str(folder / "journal"))
        with pytest.raises(Refused, match=r"periods\.retired"):
            retired.need_sealed()
        archive = verifier("archive")
        with pytest.raises(Refused, match=r"periods\.retired"):
            archive.check_retirement(archive.Archive(str(folder / "2030-03")), document)
    of_another = entry["document"] | {"archive_sha256": "00" * 32}
    with pytest.raises(Refused, match=r"^manifest\.json: not that of the archive of which rows"):
        archive.check_retirement(archive.Archive(str(folder / "2030-03")), of_another)


def test_what_is_early_held_or_changed_is_not_retired(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PeriodNotArchived):
        proposed()
    closed()
    with pytest.raises(ArchiveOutOfOrder):
        archive_write(period=ClosedPeriod.objects.get(number=2), folder=tmp_path)
    archive_write(period=own_month, folder=tmp_path)
    archive_write(period=ClosedPeriod.objects.get(number=2), folder=tmp_path)
    with pytest.raises(PeriodNotArchived):  # March first
        retirement_propose(by=factories.staff(Role.ORGANISER), number=2, kept=PLACE)
    seal_all()
    proposal = proposed()
    claimed = Claim.objects.values("document_id")
    Claim.objects.create(
        game="lototrot",
        document_id=Ticket.objects.exclude(pk__in=claimed).order_by("pk")[0].pk,
        state=Claim.State.HELD,
        amount_cents=100,
        opened_at=clock.now(),
    )
    with pytest.raises(RightStands), transaction.atomic():
        confirm(proposal)
    with monkeypatch.context() as patch:  # the database asks again
        patch.setattr(retiring, "_need_free", lambda table, archive: None)
        with pytest.raises(DatabaseError, match="right of them"), transaction.atomic():
            confirm(proposal)
    forge(
        "payoffice_claim",
        "UPDATE payoffice_claim SET state = 'refused', day = '2030-05-11' WHERE state = 'held'",
    )
    forge(PRINTS, f"UPDATE {PRINTS} SET confirmed_at = confirmed_at + interval '1 s'")
    with pytest.raises(RowsNotAsArchived), transaction.atomic():
        confirm(proposal)
    assert not RetiredRows.objects.exists()
    assert removed() == 0


def test_nothing_else_lets_a_row_be_deleted(own_month: ClosedPeriod, tmp_path: Path) -> None:
    later_print()
    archive_write(period=own_month, folder=tmp_path)
    seal_all()
    everything = f"DELETE FROM {PRINTS}"
    with connections["owner"].cursor() as owner:
        refused(owner, everything, "append-only")
    confirm(proposed())
    rows = RetiredRows.objects.get(relation=PRINTS)
    with connection.cursor() as application:
        refused(application, everything, "permission denied")
        refused(application, "DELETE FROM periods_retiredrows", "permission denied")
    with connections["owner"].cursor() as owner:
        refused(owner, everything, "append-only")  # a later print is among them
        refused(owner, f"TRUNCATE {PRINTS}", "append-only")
    for change, by in (
        ({"last_row": rows.last_row + 1}, "archive"),
        ({"relation": "lototrot_seal"}, "archive"),
        ({"last_batch": rows.last_batch + 1}, "not the last batch"),
    ):
        with pytest.raises(DatabaseError, match=by), transaction.atomic():
            more: dict[str, Any] = {
                "relation": PRINTS,
                "first_row": rows.first_row,
                "last_row": rows.last_row,
                "count": rows.count,
                "leaves": rows.leaves,
                "staying_sha256": rows.staying_sha256,
                "last_batch": rows.last_batch,
                "sha256": rows.sha256,
            }
            RetiredRows.objects.create(retirement=rows.retirement, **(more | change))


def refused(cursor: Any, statement: str, by: str) -> None:
    with pytest.raises((DatabaseError, psycopg.Error)) as raised:
        cursor.execute(statement)
    assert re.search(by, str(raised.value))
