"""Acts of players and prints of vouchers leave with their month; nothing is told otherwise then."""

from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import translation

from core.database import clock
from core.journal.verifying import Fault
from core.periods.archive import removing
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.removing import retired_remove
from core.periods.archive.retiring import RightStands, RowsNotAsArchived
from core.periods.archive.tables import ArchiveTable
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.staff.powers import Role
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.retired import UnprintedVoucher
from promotrot.models.voucher import VoucherPrint
from promotrot.selectors.plays import acts_left
from promotrot.services.explaining import reasons
from promotrot.services.playing import PlayEnded, play_state
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import confirm, forge, leaving, proposed, row_findings
from tests.promotrot.conftest import (
    ACTS,
    PRINTS,
    accounts_of_month,
    acted,
    acts_here,
    leaves,
    need_as_told,
)
from tests.support import databases, emitting
from tests.support.admin_desk import Desk, row_url
from tests.support.databases import refused
from tests.support.journaling import seal_all
from tests.support.promotrot.leaving import Plays


def test_acts_and_prints_leave_and_all_is_told_as_before(plays: Plays, tmp_path: Path) -> None:
    before = accounts_of_month(plays)
    assert before["books"][1] == [] and sum(before["printed"].values()) == 2
    ends, sold = PlayEnd.objects.count(), PlayTicket.objects.count()
    retired(ClosedPeriod.objects.get(), tmp_path)
    need_as_told(plays, before)  # the night has not come yet
    named = {row.relation: row for row in RetiredRows.objects.all()}
    assert (named[PRINTS].count, named[PRINTS].leaves) == (2, 2)
    assert named[ACTS].leaves == named[ACTS].count - 2  # of the unfinished play and of midnight
    assert retired_remove() == leaving() and retired_remove() == 0
    assert acts_here(plays) == {"unfinished", "midnight"} and not VoucherPrint.objects.exists()
    assert (PlayEnd.objects.count(), PlayTicket.objects.count()) == (ends, sold)
    need_as_told(plays, before)
    verified(tmp_path)
    unprinted = set(UnprintedVoucher.objects.values_list("voucher", flat=True))
    assert plays.voucher("unprinted").pk in unprinted
    assert not unprinted & {plays.voucher(name).pk for name in ("paid", "lapsed")}
    attach(tmp_path / "2030-03")
    tables = [name for name, _ in rows_about("2030-03", str(plays.voucher("paid").uuid))]
    assert PRINTS in tables and ACTS not in tables
    tables = [name for name, _ in rows_about("2030-03", str(plays.of["chance"]))]
    assert tables.count(ACTS) >= 2


def test_an_unfinished_play_keeps_its_acts_and_goes_on(plays: Plays, tmp_path: Path) -> None:
    play = plays.play("unfinished")
    acts = list(PlayAct.objects.filter(ticket=play).order_by("number"))
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    assert list(PlayAct.objects.filter(ticket=play).order_by("number")) == acts
    refused(f"DELETE FROM {ACTS} WHERE ticket_id = {play.pk}", "append-only")
    seen = play_state(credentials=plays.point.credentials, ident=play.uuid)
    assert len(seen.steps) == len(acts) and seen.legal
    emitting.finished(plays.point, [play.uuid])
    # It ended after its month was retired: the answer is as it was.
    assert not acts_left(play.pk) and not any(leaves(ACTS, act.pk) for act in acts)
    assert retired_remove() == 0 and row_findings() == []
    again = acted(plays.point, play.uuid, acts[0].act)
    assert again.replayed and len(again.steps) > len(acts)


def test_an_act_that_left_is_not_done_again(plays: Plays, tmp_path: Path) -> None:
    play, by = plays.play("chance"), plays.point
    first = PlayAct.objects.filter(ticket=play).order_by("number")[0].act
    before = play_state(credentials=by.credentials, ident=play.uuid)
    assert len(before.steps) >= 2 and acted(by, play.uuid, first).replayed
    retired(ClosedPeriod.objects.get(), tmp_path)
    for removed in (False, True):  # and where a night was killed between two acts of a play
        now = play_state(credentials=by.credentials, ident=play.uuid)
        assert (now.steps, now.legal) == ((), ())
        assert (now.ending, now.vouchers) == (before.ending, before.vouchers)
        for number in (1, 2, len(before.steps) + 1):
            with pytest.raises(PlayEnded):
                acted(by, play.uuid, first, number)
        with translation.override("en"):
            why = reasons(plays.voucher("chance").pk)
        assert why is not None and why.agrees
        assert why.won[0].steps[0] == ("Acts of the player", "in the archive of their month")
        assert "in the archive of their month" in Desk(Role.ORGANISER).get(row_url(play))
        assert PlayAct.objects.filter(ticket=play).exists() is not removed
        retired_remove()
    act = f"(SELECT id FROM {ACTS} LIMIT 1)"
    refused(
        f"INSERT INTO {ACTS} (ticket_id, number, act, draw, shown, terminal_id, at)"
        f" SELECT {play.pk}, 1, act, 0, 0, terminal_id, at FROM {ACTS} WHERE id = {act}",
        "out of turn",
    )


@pytest.mark.parametrize("relation, column", [(ACTS, "at"), (PRINTS, "confirmed_at")])
def test_rows_that_differ_from_the_archive_are_not_retired(
    plays: Plays, tmp_path: Path, relation: str, column: str
) -> None:
    archive_write(period=ClosedPeriod.objects.get(), folder=tmp_path)
    seal_all()
    proposal = proposed()
    first = f"WHERE id = (SELECT min(id) FROM {relation})"
    for sign in "+-":
        forge(relation, f"UPDATE {relation} SET {column} = {column} {sign} interval '1 s' {first}")
        if sign == "+":
            with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
                confirm(proposal)
            assert stopped.value.data["table"] == relation
    assert not RetiredRows.objects.exists() and not UnprintedVoucher.objects.exists()
    confirm(proposal)
    forge(relation, f"UPDATE {relation} SET {column} = {column} + interval '1 s' {first}")
    with pytest.raises(RowsNotAsArchived):
        retired_remove()
    assert VoucherPrint.objects.count() == 2


@pytest.mark.parametrize("voucher", ["paid", "unprinted"])
def test_a_month_whose_prints_may_still_be_confirmed_is_not_retired(
    plays: Plays, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, voucher: str
) -> None:
    archive_write(period=ClosedPeriod.objects.get(), folder=tmp_path)
    seal_all()
    proposal = proposed()
    days = "(core_now() AT TIME ZONE 'Europe/Madrid')::date"
    for past, free in ((8, False), (9, True)):
        forge(
            "promotrot_voucher",
            f"UPDATE promotrot_voucher SET last_day = {days} - {past}"
            f" WHERE id = {plays.voucher(voucher).pk}",
        )
        if free:
            with pytest.raises(RowsNotAsArchived), transaction.atomic():
                confirm(proposal)  # the voucher was touched, which is all that is wrong now
            continue
        with pytest.raises(RightStands) as stands, transaction.atomic():
            confirm(proposal)
        assert stands.value.data["rows"] == {"promotrot_voucher": 1}
        with monkeypatch.context() as patch:  # the database asks again
            patch.setattr("core.periods.archive.retiring._need_free", lambda *_: None)
            patch.setattr("core.periods.archive.retiring._need_whole", lambda _: None)
            with pytest.raises(DatabaseError, match="may still be confirmed"), transaction.atomic():
                confirm(proposal)


def test_a_night_that_was_killed_is_finished_and_a_backup_gives_the_rows_up_again(
    plays: Plays, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = accounts_of_month(plays)
    retired(ClosedPeriod.objects.get(), tmp_path)
    seal_all()
    leave, backup = leaving(), connection.settings_dict["NAME"]
    remove = removing._batches_remove

    def killed(table: ArchiveTable, first: int, last: int) -> int:
        if table.name in (ACTS, PRINTS) and not PlayAct.objects.filter(pk=first_act).exists():
            raise KeyboardInterrupt
        return remove(table, first, last)

    first_act = PlayAct.objects.order_by("pk")[0].pk
    with databases.restored(backup):  # the system that goes on, and is lost then
        assert retired_remove() == leave
    with databases.restored(backup):
        with monkeypatch.context() as patch:
            patch.setattr(removing, "AT_ONCE", 2)
            patch.setattr(removing, "_batches_remove", killed)
            with pytest.raises(KeyboardInterrupt):
                retired_remove()
        assert PlayAct.objects.count() > 3 and not PlayAct.objects.filter(pk=first_act).exists()
        need_as_told(plays, before)
        assert 0 < retired_remove() < leave
        need_as_told(plays, before)
        assert retired_remove() == 0
        verified(tmp_path)


def test_a_print_that_is_gone_and_had_to_stay_is_named(plays: Plays, tmp_path: Path) -> None:
    late = VoucherPrint.objects.create(voucher=plays.voucher("refund"), confirmed_at=clock.now())
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    assert list(VoucherPrint.objects.all()) == [late] and row_findings() == []
    forge(PRINTS, f"DELETE FROM {PRINTS}")
    assert {table for _, table in row_findings()} == {PRINTS}
    forge(ACTS, f"DELETE FROM {ACTS} WHERE ticket_id = {plays.play('unfinished').pk}")
    assert (Fault.ROWS_DIFFER, ACTS) in row_findings()
