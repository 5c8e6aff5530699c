"""Plays that won nothing leave with their month; no right, sum or answer is lost by it."""

import datetime
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.database.locks import Lock
from core.draws.models import Draw
from core.journal import rules
from core.journal.acting import name_process
from core.journal.verifying import Fault
from core.kernel.days import natural_day
from core.ledger.books import differences
from core.payoffice.models import Claim
from core.payoffice.services.paying import PayRequest
from core.periods.archive import removing
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.removing import retired_remove
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.retired import RetiredPlays
from promotrot.models.voucher import Voucher
from promotrot.selectors.counter import terminal_day
from promotrot.selectors.emissions import standing
from promotrot.selectors.left import play_left
from promotrot.selectors.public import public_figures
from promotrot.services.audit.ends import audit_plays
from promotrot.services.closing import seed_reveal
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.explaining import reasons
from promotrot.services.office.moving import play_move
from promotrot.services.office.stopping import play_end_propose
from promotrot.services.playing import PlayArchived, PlayUnknown, play_act, play_state
from promotrot.services.publications import tickets_file
from promotrot.services.unfinished import play_end_unfinished
from tests.core.periods.archive.conftest import forge, next_month_retired, retired
from tests.core.periods.archive.test_acts_leave import _verified as verified
from tests.core.periods.archive.test_retiring import confirm, leaving, proposed, row_findings
from tests.core.periods.conftest import closed
from tests.promotrot.conftest import MARCH_ENDS, Plays, accounts_of_month, leaves
from tests.support import databases, emitting, factories, paying, rounds
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.api import staff_api_of
from tests.support.databases import refused
from tests.support.factories import Point
from tests.support.journaling import seal_all
from tests.support.promotrot import owing
from tests.support.stating import days_end

TICKETS, ENDS, LEFT = "promotrot_playticket", "promotrot_playend", "promotrot_retiredplays"
KEPT = "Safe of the Central Office"
LEAVE = {
    "lost 0",
    "lost 1",
    "lost 2",
    "night",
    "chance lost",
    "owed 0",
    "owed 1",
    "owed 2",
    "owed 3",
}
STAY = {"won", "chance won", "refund", "unfinished", "midnight", "moved", "on sale"}


@pytest.fixture
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Plays]:
    """The plays of March, which is closed, in a database of this test."""
    with django_db_blocker.unblock(), databases.restored(_played().backup):
        name_process("command:period_archive")
        yield _played()


@cache
def _played() -> Plays:
    of: dict[str, uuid.UUID] = {}
    points: list[Point] = []
    return Plays(databases.prepared(lambda: of.update(_play(points))), of, points)


def _play(points: list[Point]) -> dict[str, uuid.UUID]:
    """Play in March in emissions of both kinds; some are closed in April, one is still on sale.

    A game owes 2.80, which is all that its four plays, of no prize, could get.
    """
    factories.time_to(rounds.NOON)
    point = factories.point()
    points.append(point)
    tiers = [0, 0, 0, 0, 1]
    seed = emitting.seed_where("small/1", lambda all_of: [bool(t) for t in all_of[:5]] == tiers)
    with emitting.seeded(seed):
        drawn = emitting.opened(emitting.small())
    names = ["lost 0", "lost 1", "lost 2", "night", "won"]
    of = dict(zip(names, emitting.sold(drawn, 5, point), strict=True))
    seal_all()
    for name in ("lost 0", "lost 1", "lost 2", "won"):
        emitting.played(point, [of[name]])
    assert play_end_unfinished(PlayTicket.objects.get(uuid=of["night"])) == "unfinished"
    seal_all()
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    of |= _by_chance(point, ladder)
    seal_all()
    small = emitting.opened(emitting.small("open", prize_percent="70"))
    (of["on sale"],) = _losing(point, small, 1)
    seal_all()
    of |= _owing(point)
    factories.time_to(MARCH_ENDS)
    late = factories.point(point.premises)
    points.append(late)
    of["midnight"] = _begun(late, ladder)
    seal_all()
    factories.time_pass(minutes=5)
    emitting.finished(late, [of["midnight"]])
    days_end(3)
    for emission in (drawn, ladder):
        seed_reveal(emission=emitting.closed(emission))
    seal_all()
    days_end(70)
    closed()
    return of


def _by_chance(point: Point, ladder: Emission) -> dict[str, uuid.UUID]:
    of: dict[str, uuid.UUID] = {"unfinished": _begun(point, ladder)}
    refund = emitting.buy(point, ladder)
    assert play_end_unfinished(refund) == "refund"
    of["refund"] = refund.uuid
    of["chance won"] = _begun(point, ladder)
    emitting.finished(point, [of["chance won"]])
    while "chance lost" not in of:
        ident = _begun(point, ladder)
        _ended_in_nothing(point, ident)
        if not Voucher.objects.filter(ticket__uuid=ident).exists():
            of["chance lost"] = ident
    other = factories.point(point.premises)
    while "moved" not in of:
        ident = _begun(point, ladder)
        by = factories.staff(Role.ORGANISER)
        play_move(by=by, ident=ident, terminal_code=other.terminal.code, reason="broken")
        _ended_in_nothing(other, ident)
        if not Voucher.objects.filter(ticket__uuid=ident).exists():
            of["moved"] = ident
    return of


def _begun(point: Point, ladder: Emission) -> uuid.UUID:
    """Begin plays until one goes on after its first act."""
    while True:
        ident = emitting.buy(point, ladder).uuid
        play = play_state(credentials=point.credentials, ident=ident)
        play = play_act(credentials=point.credentials, ident=ident, number=1, act=play.legal[0])
        if play.legal:
            return ident


def _ended_in_nothing(point: Point, ident: uuid.UUID) -> None:
    """Go on with a play, and keep nothing, until it ends: it is lost, or has the top prize."""
    play = play_state(credentials=point.credentials, ident=ident)
    while play.legal:
        act = next((a for a in play.legal if a not in ("stop", "keep")), play.legal[0])
        number = len(play.steps) + 1
        play = play_act(credentials=point.credentials, ident=ident, number=number, act=act)


def _losing(point: Point, emission: Emission, count: int) -> list[uuid.UUID]:
    """Sell and play tickets until so many have won nothing; return these."""
    lost: list[uuid.UUID] = []
    while len(lost) < count:
        idents = emitting.sold(emission, 1, point)
        emitting.played(point, idents)
        if not Voucher.objects.filter(ticket__uuid__in=idents).exists():
            lost += idents
    return lost


def _owing(point: Point) -> dict[str, uuid.UUID]:
    """Sell four plays of a game, which win nothing; its emission is closed and owes 2.80."""
    seed = emitting.seed_where("owing/1", lambda tiers: not any(tiers[:4]), emitting.small("owing"))
    with emitting.seeded(seed):
        emission = emitting.opened(emitting.small("owing"))
    idents = emitting.sold(emission, 4, point)
    emitting.played(point, idents)
    seal_all()
    seed_reveal(emission=emitting.closed(emission))
    return {f"owed {number}": ident for number, ident in enumerate(idents)}


def _told(month: Plays) -> dict[str, Any]:
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
    before = _told(month)
    assert before["books"][1] == [] and before["rules"] == set() and row_findings() == []
    sold, premises = PlayTicket.objects.count(), month.point.premises.pk
    acts = {name: PlayAct.objects.filter(ticket=month.play(name)).count() for name in sorted(LEAVE)}
    retired(ClosedPeriod.objects.get(), tmp_path)
    assert _told(month) == before  # the night has not come yet
    named = {row.relation: row for row in RetiredRows.objects.all()}
    assert named[TICKETS].leaves == named[ENDS].leaves >= len(LEAVE)
    assert retired_remove() == leaving() and retired_remove() == 0
    assert PlayTicket.objects.count() == sold - named[TICKETS].leaves
    assert _there(month) == STAY
    assert not PlayEnd.objects.exclude(ticket__in=PlayTicket.objects.all()).exists()
    assert _told(month) == before and row_findings() == []
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


@pytest.mark.article("15.III.3")
def test_who_asks_for_a_play_that_left_is_told_so(month: Plays, tmp_path: Path) -> None:
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    gone, credentials = month.of["lost 0"], month.point.credentials
    by = factories.staff(Role.ORGANISER)
    paying.cashier()
    for asked in (
        lambda: play_state(credentials=credentials, ident=gone),
        lambda: play_act(credentials=credentials, ident=gone, number=1, act="reveal"),
        lambda: play_move(by=by, ident=gone, terminal_code="T", reason="broken"),
        lambda: play_end_propose(by=paying.cashier(), ident=gone, reason="x"),
    ):
        with pytest.raises(PlayArchived) as raised:
            asked()
        assert raised.value.data == {"month": "2030-03", "kept": KEPT}
    stranger = factories.point()
    for ident, point in ((gone, stranger), (new_uuid(), month.point)):
        with pytest.raises(PlayUnknown) as unknown:
            play_state(credentials=point.credentials, ident=ident)
        assert unknown.value.code == "play_unknown"
    page = Desk(Role.AUDITOR).get(f"{list_url(RetiredPlays)}?q={gone}")
    assert "small/1" in page
    page = Desk(Role.AUDITOR).get(f"{list_url(RetiredPlays)}?q={month.of['won']}")
    assert "small/1" not in page


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


@pytest.mark.article("15.III.6.2")
def test_a_play_that_left_is_drawn_and_its_prize_is_paid(month: Plays, tmp_path: Path) -> None:
    """What the game owes is drawn among all that was sold and not refunded [P17]."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    game = Emission.objects.get(reference="owing/1").game
    factories.central_office()
    proposal = game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=2)
    emitting.both(proposal)
    retired_remove()  # between the announcement and the draw
    vouchers = owing.drawn(game)
    assert Draw.objects.get(subject="owing:1").state == "certified"
    codes = {month.of[f"owed {number}"] for number in range(4)}
    assert len(vouchers) == 2 and {voucher.left_play for voucher in vouchers} < codes
    assert {voucher.ticket_id for voucher in vouchers} == {None}
    assert {voucher.premises_id for voucher in vouchers} == {month.point.premises.pk}
    won = vouchers[0]
    desk = staff_api_of(paying.cashier())
    held = desk.get("promotrot/office/vouchers/held").json()["items"]
    of_draw = {(each["play"], each["sold_at"]) for each in held if each["nature"] == "drawn"}
    assert of_draw == {(str(voucher.left_play), None) for voucher in vouchers}
    card = paying.handed_over_by_api(desk, str(won.uuid))
    assert (card["play"], card["emission"]) == (str(won.left_play), "owing/1")
    path = f"promotrot/office/vouchers/{won.uuid}/voucher.txt"
    assert card["code"] in desk.get(path).content.decode()
    assert str(won.left_play) in Desk(Role.AUDITOR).get(row_url(won))
    why = reasons(won.pk)
    assert why is not None and why.agrees
    request = PayRequest(new_uuid(), 140, intact=True, code=card["code"])
    paying.paid_alone(paying.cashier(), request)
    days_end(31)
    assert sorted(
        Claim.objects.filter(document_id__in=[v.pk for v in vouchers]).values_list(
            "state", flat=True
        )
    ) == ["lapsed", "paid"]
    assert differences()[1] == [] and row_findings() == []
    assert [rule.name for rule in journal_rules.RULES if list(rules.broken(rule))] == []


def test_a_retirement_does_not_meet_an_act_on_a_game(month: Plays, tmp_path: Path) -> None:
    """A draw that is being certified holds its game. The retirement is confirmed again."""
    archive_write(period=ClosedPeriod.objects.get(), folder=tmp_path)
    seal_all()
    proposal, game = proposed(), Emission.objects.get(reference="owing/1").game_id
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_advisory_lock(%s, %s)", [Lock.GAME.value, game])
        with pytest.raises(DatabaseError, match="is under way"), transaction.atomic():
            confirm(proposal)
        owner.execute("SELECT pg_advisory_unlock(%s, %s)", [Lock.GAME.value, game])
    assert not RetiredPlays.objects.exists()
    confirm(proposal)
    assert RetiredPlays.objects.exists()


def test_a_drawn_prize_names_its_play_as_it_is(month: Plays, tmp_path: Path) -> None:
    retired(ClosedPeriod.objects.get(), tmp_path)
    gone, play = month.of["owed 0"], month.play("owed 0")
    emission, premises, now = play.emission_id, play.premises_id, clock.now()
    wrong: tuple[dict[str, Any], ...] = (
        {"ticket_id": play.pk},  # it is there, and about to go
        {"left_play": gone, "premises_id": premises + 1},
        {"left_play": gone, "emission_id": month.play("won").emission_id},
        {"left_play": month.of["won"]},
        {"left_play": new_uuid()},
    )
    usual = {
        "emission_id": emission,
        "premises_id": premises,
        "uuid": new_uuid(),
        "number": 1_001,
        "nature": "drawn",
        "amount_cents": 1,
        "prizes": [],
        "issued_at": now,
        "issue_day": natural_day(now),
        "last_day": natural_day(now) + datetime.timedelta(days=30),
    }
    for named in wrong:
        with pytest.raises(DatabaseError, match="is another, or has left"), transaction.atomic():
            Voucher.objects.create(**usual | named)
    for named in ({}, {"ticket_id": play.pk, "left_play": gone}, {"left_play": gone}):
        nature = {"nature": "cash"} if named else {}
        with pytest.raises(DatabaseError), transaction.atomic():
            Voucher.objects.create(**usual | named | nature)


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
    before = _told(month)
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
        assert _told(month) == before
        assert 0 < retired_remove() < leave and retired_remove() == 0
        assert _there(month) == STAY and _told(month) == before
        verified(tmp_path)


def _killed(remove: Any) -> Any:
    """Return a step of a night that ends the night when some plays have left."""
    all_of = PlayTicket.objects.count()

    def killed(table: Any, first: int, last: int) -> int:
        if PlayTicket.objects.count() < all_of:
            raise KeyboardInterrupt
        return int(remove(table, first, last))

    return killed
