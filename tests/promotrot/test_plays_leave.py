"""Plays that won nothing leave with their month; no right, sum or answer is lost by it."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.journal import rules
from core.journal.verifying import Fault
from core.kernel.days import natural_day
from core.periods.archive import removing
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.removing import retired_remove
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.retired import RetiredPlays
from promotrot.selectors.counter import terminal_day
from promotrot.selectors.emissions import standing
from promotrot.selectors.left import play_left
from promotrot.selectors.public import public_figures
from promotrot.services.audit.ends import audit_plays
from promotrot.services.closing import seed_reveal
from promotrot.services.publications import tickets_file
from tests.core.periods.archive.conftest import forge, next_month_retired, retired
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import confirm, leaving, proposed, row_findings
from tests.promotrot.conftest import accounts_of_month, leaves
from tests.support import databases, emitting, factories, rounds
from tests.support.databases import refused
from tests.support.journaling import seal_all
from tests.support.promotrot.leaving import (
    ENDS,
    KEPT,
    LEAVE,
    LEFT,
    MARCH_ENDS,
    STAY,
    TICKETS,
    Plays,
)
from tests.support.stating import days_end


def _answers(month: Plays) -> dict[str, Any]:
    """Return what books, reports, terminals, staff and the public are told."""
    auditor = factories.staff(Role.AUDITOR)
    emissions = list(Emission.objects.order_by("pk"))
    return accounts_of_month(month) | {
        "standing": [standing(by=auditor, emission=each) for each in emissions],
        "public": [public_figures(each) for each in emissions],
        "tickets": ["".join(tickets_file(each)) for each in emissions],
        "terminals": [
            terminal_day(terminal_id=point.terminal.pk, day=natural_day(day))
            for point in month.points
            for day in (rounds.NOON, MARCH_ENDS)
        ],
        "rules": {rule.name for rule in journal_rules.RULES if list(rules.broken(rule))},
    }


def _there(month: Plays) -> set[str]:
    here = set(PlayTicket.objects.values_list("uuid", flat=True))
    return {name for name, ident in month.of.items() if ident in here}


@pytest.mark.article("15.III.3")
def test_plays_that_won_nothing_leave_and_all_is_told_as_before(
    month: Plays, tmp_path: Path
) -> None:
    before = _answers(month)
    assert before["books"][1] == [] and before["rules"] == set() and row_findings() == []
    sold, premises = PlayTicket.objects.count(), month.point.premises.pk
    acts = {name: PlayAct.objects.filter(ticket=month.play(name)).count() for name in sorted(LEAVE)}
    retired(ClosedPeriod.objects.get(), tmp_path)
    assert _answers(month) == before  # the night has not come yet
    named = {row.relation: row for row in RetiredRows.objects.all()}
    assert named[TICKETS].leaves == named[ENDS].leaves >= len(LEAVE)
    assert retired_remove() == leaving() and retired_remove() == 0
    assert PlayTicket.objects.count() == sold - named[TICKETS].leaves
    assert _there(month) == STAY
    assert not PlayEnd.objects.exclude(ticket__in=PlayTicket.objects.all()).exists()
    assert _answers(month) == before and row_findings() == []
    assert audit_plays().findings == []
    verified(tmp_path)
    attach(tmp_path / "2030-03")
    for name in LEAVE:
        tables = [table for table, _ in rows_about("2030-03", str(month.of[name]))]
        assert tables.count(TICKETS) == tables.count(ENDS) == 1
        assert tables.count("promotrot_playact") == acts[name]
        left = play_left(month.of[name])
        assert left is not None and (left.month, left.kept) == ("2030-03", KEPT)
        assert left.premises_id == premises
    assert play_left(month.of["won"]) is None and play_left(uuid.uuid4()) is None


def test_a_play_of_an_emission_that_was_on_sale_then_stays_for_good(
    month: Plays, tmp_path: Path
) -> None:
    """An emission may last for years. It was not over when the month was retired."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    play = month.play("on sale")
    assert not leaves(TICKETS, play.pk)
    seed_reveal(emission=emitting.closed(Emission.objects.get(reference="open/1")))
    assert not leaves(TICKETS, play.pk) and not leaves(ENDS, play.end.pk)
    retired_remove()
    days_end(70)
    next_month_retired(tmp_path)
    retired_remove()
    assert _there(month) == STAY and row_findings() == []
    # The transaction of the closing may have begun before the retirement; the log has it after.
    for name in ("promotrot_closingstatement", "promotrot_seedreveal"):
        forge(name, f"UPDATE {name} SET journal_xid = 1")
    assert not leaves(TICKETS, play.pk) and not leaves(ENDS, play.end.pk)


def test_the_database_lets_no_other_row_go_or_come(month: Plays, tmp_path: Path) -> None:
    retired(ClosedPeriod.objects.get(), tmp_path)
    seal_all()
    for name in STAY:
        refused(f"DELETE FROM {TICKETS} WHERE id = {month.play(name).pk}", "append-only|violates")
    refused(f"DELETE FROM {ENDS} WHERE ticket_id = {month.play('lost 0').pk}", "its play is there")
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RetiredPlays.objects.create(
            emission=month.play("won").emission,
            retired=RetiredRows.objects.get(relation=TICKETS),
            day=clock.now(),
            openings=[0],
            positions=[0],
            premises=[1],
            terminals=[1],
            plays=[uuid.uuid4()],
        )
    first = RetiredPlays.objects.order_by("pk")[0]
    for column, value in (("terminals", "'{1}'"), ("plays", "'{}'"), ("premises", "'{NULL}'")):
        refused(f"UPDATE {LEFT} SET {column} = {value} WHERE id = {first.pk}", ".")
    forge(LEFT, f"DELETE FROM {LEFT} WHERE id = {first.pk}")
    assert list(rules.broken(journal_rules.LEFT)) != []
    assert (Fault.ROW_REMOVED, LEFT) in row_findings()


def test_a_row_gone_that_had_to_stay_or_come_to_a_retired_month_is_named(
    month: Plays, tmp_path: Path
) -> None:
    unfinished, lost = month.play("unfinished"), month.play("lost 0")
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    columns = "emission_id, opening, position, premises_id, terminal_id, operator_id, sold_at"
    forge(
        TICKETS,
        f"INSERT INTO {TICKETS} (id, uuid, price_cents, {columns}) SELECT {lost.pk},"
        f" '{lost.uuid}', price_cents, emission_id, 39, 39, premises_id, terminal_id,"
        f" operator_id, sold_at FROM {TICKETS} WHERE id = {unfinished.pk}",
    )
    assert TICKETS in {table for _, table in row_findings()}
    forge(TICKETS, f"DELETE FROM {TICKETS} WHERE id = {lost.pk}")
    forge(ENDS, f"DELETE FROM {ENDS} WHERE ticket_id = {month.play('on sale').pk}")
    assert {table for _, table in row_findings()} == {ENDS}


@pytest.mark.parametrize("relation, column", [(TICKETS, "sold_at"), (ENDS, "ended_at")])
def test_rows_that_differ_from_the_archive_are_not_retired(
    month: Plays, tmp_path: Path, relation: str, column: str
) -> None:
    archive_write(period=ClosedPeriod.objects.get(), folder=tmp_path)
    seal_all()
    proposal = proposed()
    first = f"WHERE id = (SELECT min(id) FROM {relation})"
    forge(relation, f"UPDATE {relation} SET {column} = {column} + interval '1 s' {first}")
    with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
        confirm(proposal)
    assert stopped.value.data["table"] == relation
    assert not RetiredPlays.objects.exists()
    forge(relation, f"UPDATE {relation} SET {column} = {column} - interval '1 s' {first}")
    confirm(proposal)
    assert RetiredPlays.objects.exists()


def test_a_night_that_was_killed_is_finished_and_a_backup_gives_the_rows_up_again(
    month: Plays, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _answers(month)
    retired(ClosedPeriod.objects.get(), tmp_path)
    seal_all()
    leave, backup = leaving(), connection.settings_dict["NAME"]
    with databases.restored(backup):  # the system that goes on, and is lost then
        assert retired_remove() == leave
    with databases.restored(backup):
        with monkeypatch.context() as patch:
            patch.setattr(removing, "AT_ONCE", 2)
            for step in ("_batches_remove", "_remove"):
                patch.setattr(removing, step, _killed(getattr(removing, step)))
            with pytest.raises(KeyboardInterrupt):
                retired_remove()
        there = _there(month) - STAY
        assert there and there != LEAVE
        assert _answers(month) == before
        assert 0 < retired_remove() < leave and retired_remove() == 0
        assert _there(month) == STAY and _answers(month) == before
        verified(tmp_path)


def _killed(remove: Any) -> Any:
    """Return a step of a night that ends the night when some plays have left."""
    all_of = PlayTicket.objects.count()

    def killed(table: Any, first: int, last: int) -> int:
        if PlayTicket.objects.count() < all_of:
            raise KeyboardInterrupt
        return int(remove(table, first, last))

    return killed
