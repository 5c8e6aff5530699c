"""A play that left is told apart from one that never was; it is drawn and paid as any other."""

import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin import site
from django.db import DatabaseError, OperationalError, connection, connections, transaction
from django.http import HttpRequest

from core.database import clock
from core.database.locks import Lock
from core.draws.models import Draw
from core.journal import rules
from core.kernel.days import natural_day
from core.ledger.books import differences
from core.payoffice.models import Claim
from core.payoffice.services.paying import PayRequest
from core.periods.archive.removing import retired_remove
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.admin.plays import RetiredPlaysAdmin
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.retired import RetiredPlays
from promotrot.models.voucher import Voucher
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.explaining import reasons
from promotrot.services.office.moving import play_move
from promotrot.services.office.stopping import play_end_propose
from promotrot.services.playing import PlayArchived, PlayUnknown, play_act, play_state
from promotrot.services.publications import tickets_file
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.archive.test_retiring import confirm, proposed, row_findings
from tests.promotrot.api.test_vouchers import staff_api_of
from tests.support import emitting, factories, paying
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.journaling import seal_all
from tests.support.promotrot import owing
from tests.support.promotrot.leaving import (
    KEPT,
    Plays,
)
from tests.support.stating import days_end


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
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        admin = RetiredPlaysAdmin(RetiredPlays, site)
        rows, _ = admin.get_search_results(HttpRequest(), RetiredPlays.objects.all(), str(gone))
        assert "Seq Scan" not in (plan := rows.explain()) and rows.count() == 1, plan


@pytest.mark.article("15.III.6.2")
def test_a_play_that_left_is_drawn_and_its_prize_is_paid(month: Plays, tmp_path: Path) -> None:
    """All that the game owes is drawn among all that was sold and not refunded [P17]."""
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
    other = f"premises_id = premises_id + 1 WHERE id = {won.pk}"
    forge("promotrot_voucher", f"UPDATE promotrot_voucher SET {other}")
    assert [row for _, row, _ in rules.broken(journal_rules.PLAY)] == [won.pk]


@pytest.mark.article("15.III.6.2")
def test_a_draw_announced_before_the_month_left_gives_its_prizes_before_the_night(
    month: Plays, tmp_path: Path
) -> None:
    """The tickets are still there, and go that night: the vouchers do not name them."""
    game = Emission.objects.get(reference="owing/1").game
    factories.central_office()
    emitting.both(game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=2))
    retired(ClosedPeriod.objects.get(), tmp_path)
    drawn = {voucher.left_play for voucher in owing.drawn(game)}
    assert PlayTicket.objects.filter(uuid__in=drawn).count() == len(drawn) == 2
    retired_remove()
    assert not PlayTicket.objects.filter(uuid__in=drawn).exists()
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


def test_a_list_of_tickets_is_whole_when_the_month_leaves_while_it_is_read(
    month: Plays, tmp_path: Path
) -> None:
    """Anybody may ask for it at any time, and checks it against a digest in the public log."""
    emission = Emission.objects.get(reference="small/1")
    archive_write(period=ClosedPeriod.objects.get(), folder=tmp_path)
    seal_all()
    before, waiting = "".join(tickets_file(emission)), [proposed()]

    def retire(execute: Any, sql: str, *arguments: Any) -> Any:
        answer = execute(sql, *arguments)
        if waiting and "periods_retiredrows" in str(sql):
            confirm(waiting.pop())
        return answer

    with connection.execute_wrapper(retire):
        assert "".join(tickets_file(emission)) == before
    assert not waiting and RetiredPlays.objects.exists()
    assert "".join(tickets_file(emission)) == before


def test_a_prize_of_a_draw_waits_for_an_act_on_the_game(month: Plays) -> None:
    """Else a retirement at the same time would write down a play that then stays."""
    play = month.play("owed 0")
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT pg_advisory_lock(%s, %s)", [Lock.GAME.value, play.emission.game_id])
        with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '50ms'")
            Voucher.objects.create(**_drawn(play), ticket_id=play.pk)
        owner.execute("SELECT pg_advisory_unlock(%s, %s)", [Lock.GAME.value, play.emission.game_id])


def _drawn(play: PlayTicket) -> dict[str, Any]:
    """Return the columns of a prize of the draw, but not those of its play."""
    now = clock.now()
    return {
        "emission_id": play.emission_id,
        "premises_id": play.premises_id,
        "uuid": new_uuid(),
        "number": 1_001,
        "nature": "drawn",
        "amount_cents": 1,
        "prizes": [],
        "issued_at": now,
        "issue_day": natural_day(now),
        "last_day": natural_day(now) + datetime.timedelta(days=30),
    }


def test_a_drawn_prize_names_its_play_as_it_is(month: Plays, tmp_path: Path) -> None:
    retired(ClosedPeriod.objects.get(), tmp_path)
    gone, play = month.of["owed 0"], month.play("owed 0")
    wrong: tuple[dict[str, Any], ...] = (
        {"ticket_id": play.pk},  # it is there, and about to go
        {"left_play": gone, "premises_id": play.premises_id + 1},
        {"left_play": gone, "emission_id": month.play("won").emission_id},
        {"left_play": month.of["won"]},
        {"left_play": new_uuid()},
    )
    usual = _drawn(play)
    for named in wrong:
        with pytest.raises(DatabaseError, match="is another, or has left"), transaction.atomic():
            Voucher.objects.create(**usual | named)
    for named in ({}, {"ticket_id": play.pk, "left_play": gone}, {"left_play": gone}):
        nature = {"nature": "cash"} if named else {}
        with pytest.raises(DatabaseError), transaction.atomic():
            Voucher.objects.create(**usual | named | nature)
