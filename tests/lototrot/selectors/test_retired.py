"""Tickets that won nothing leave with a retired month; what is told of it stays as before."""

import datetime
import uuid
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connections, transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.kept import forget_all
from core.journal import rules
from core.journal.export import export
from core.journal.models import Block
from core.journal.verifying import Fault, verify
from core.kernel.request_uuids import AHEAD, RequestArchived, RequestUuidTooOld
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.payoffice.services.finding import by_code, by_uuid
from core.payoffice.sources import DocumentArchived, DocumentUnknown
from core.periods.archive import retiring
from core.periods.archive.removing import retired_remove
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows, Retirement
from core.premises.access import BareTerminal
from core.premises.models import BurntRequest, Terminal
from core.premises.requests import need_new, new_uuid
from core.reports.tables import Period, Report, reports, table
from core.staff.powers import Role
from lototrot import journal_rules, nightly
from lototrot.models.contest import Contest
from lototrot.models.retired import RetiredMarks, RetiredPrizes, RetiredSales
from lototrot.models.settlement import Prize
from lototrot.models.tickets import CodeGiven, Ticket
from lototrot.reports import HISTORY
from lototrot.selectors.board import past_document
from lototrot.selectors.retired import Left, TicketsArchived, kept_where, left, need_all
from lototrot.selectors.selling import terminal_totals
from lototrot.selectors.shares import shares_closed, shares_count
from lototrot.services.seal.sealing import seal_verify
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.breach import breach_block
from lototrot.services.settlement.past_rounds import past_rounds
from lototrot.services.tickets.lookup import TicketNotFound, ticket_by_code
from lototrot.services.tickets.selling import request_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.selling import request_state as play_state
from tests.core.periods.archive.conftest import next_month_retired, night_killed, retired
from tests.core.periods.archive.conftest import own_month as own_month
from tests.core.periods.archive.conftest import retired_month as retired_month
from tests.core.periods.archive.test_retiring import (
    PLACE,
    confirm,
    forge,
    leaving,
    proposed,
    row_findings,
)
from tests.support import emitting, factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.api import Api, refused, staff_api
from tests.support.databases import Database
from tests.support.factories.request_uuids import uuid_at
from tests.support.journaling import meanwhile, seal_all
from tests.support.paying import unknown_code
from tests.support.stating import days_end
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

TICKETS = "lototrot_ticket"


def accounts_of(contest: Contest) -> dict[str, Any]:
    """Return what audits, reports, pages and the API say of a contest and of its month."""
    month = Period(contest.day.replace(day=1), contest.day + datetime.timedelta(days=40))
    auditor, everybody = staff_api(Role.AUDITOR), Api()
    audit = audit_contests()
    answers: dict[str, Any] = {
        "audit": (audit.contests, audit.tickets, audit.prizes, audit.findings),
        "ledger": differences(),
        "totals": terminal_totals(
            terminal_id=Terminal.objects.order_by("pk")[0].pk, day=contest.day
        ),
        **{
            f"report {each.name}": table(each, month).rows
            for each in reports()
            if _is_of_period(each)
        },
        "page": past_document(contest.day, contest.bet_type_code),
    }
    paths = ("", "/settlement", "/payment-order", "/seal")
    for path in (*paths, "/certificate.json", "/unprinted", "/breaches"):
        for who in (auditor, everybody):
            answer = who.get(f"lototrot/contests/{contest.pk}{path}")
            if answer.status_code == 200:
                answers[f"{path} {who is auditor}"] = answer.json()
    answers[" True"].pop("server_time")
    answers["settlements"] = auditor.get("lototrot/settlements", contest=contest.pk).json()
    return answers


def _is_of_period(report: Report) -> bool:
    """Whether it is of a period and not of transfers, which are in the archive afterwards."""
    return bool(report.dated) and report.name != HISTORY.name


def test_what_is_told_of_a_contest_is_as_before(own_month: ClosedPeriod, tmp_path: Path) -> None:
    contest = Contest.objects.get()
    shares_count([contest])
    shares = shares_closed(contest)
    loser = Ticket.objects.exclude(pk__in=Prize.objects.values("ticket")).get()
    before = accounts_of(contest)
    assert before["audit"] == (1, 3, 2, []) and before["ledger"][1] == []
    assert before["totals"].tickets == 3 and len(before) > 20
    with pytest.raises(DocumentUnknown) as unknown:
        by_code(unknown_code())
    assert unknown.type is DocumentUnknown
    retired(own_month, tmp_path)
    assert left(contest.pk) == Left(3, 3, 300, 2, 180, (1, 1))  # two prizes lapsed
    assert accounts_of(contest) == before  # the night has not come yet
    at = BareTerminal(loser.terminal_id, loser.premises_id, loser.premises.kind, loser.operator_id)
    assert request_state(terminal=at, ident=loser.uuid) is not None
    assert retired_remove() == leaving()
    assert (Ticket.objects.count(), Prize.objects.count()) == (0, 0)
    assert accounts_of(contest) == before
    forget_all()
    shares_count([contest])
    assert shares and shares_closed(contest) == shares
    assert row_findings() == []
    mine = {rule for rule in journal_rules.RULES if "retired" in rule.name or "sales" in rule.name}
    assert mine and [row for rule in mine for row in rules.broken(rule)] == []
    _presented_anywhere(contest, loser)
    _not_counted_ticket_by_ticket(contest)


def _presented_anywhere(contest: Contest, loser: Ticket) -> None:
    """Present what left: nobody is told that it never was."""
    for find in (
        lambda: by_code(unknown_code()),
        lambda: by_uuid("lototrot", loser.uuid),
        lambda: ticket_by_code(unknown_code()),
    ):
        with pytest.raises(DocumentArchived) as raised:
            find()
        assert raised.value.data == {"last_day": "2030-03-31"}
    assert TicketNotFound is not raised.type
    refused(Api().post("check", {"code": unknown_code()}), 404, "document_archived")
    refused(Api().post("lototrot/proofs", {"code": unknown_code()}), 404, "document_archived")
    at = BareTerminal(loser.terminal_id, loser.premises_id, loser.premises.kind, loser.operator_id)
    _asked_for_again(at, loser.uuid)


def _asked_for_again(at: BareTerminal, ident: uuid.UUID) -> None:
    """Ask under the UUID of a sale that left, with its transfer: nothing live has it (ADR 50)."""
    until = Retirement.objects.get().period.ends_at
    maker_ahead = uuid_at(until + AHEAD - timedelta(seconds=1))  # sold as the month ended
    for state in (request_state, play_state):
        for asked in (ident, maker_ahead):
            with pytest.raises(RequestArchived):
                state(terminal=at, ident=asked)
    assert not BurntRequest.objects.exists()
    for asked in (new_uuid(), uuid_at(until + AHEAD)):
        assert request_state(terminal=at, ident=asked) is None
    assert BurntRequest.objects.count() == 2
    assert request_state(terminal=at, ident=asked) is None  # burnt before
    before = Ticket.objects.count(), Transfer.objects.count()
    place, emission = factories.point(), emitting.opened(emitting.small())
    play = PlayRequest(ident, emission.pk, emission.price_cents)
    sale = factories.sell(factories.contest(), place, request=ident)
    assert sale.outcome == RequestUuidTooOld.code
    for act in (
        lambda: play_sell(credentials=place.credentials, request=play),
        lambda: need_new(ident),
    ):
        with pytest.raises(RequestUuidTooOld):
            act()
    assert (Ticket.objects.count(), Transfer.objects.count()) == before


def _not_counted_ticket_by_ticket(contest: Contest) -> None:
    """Ask for what takes every ticket: each says where the others are."""
    for ask in (
        lambda: need_all(contest.pk),
        lambda: seal_verify(contest),
        lambda: breach_block(by=factories.staff(Role.ORGANISER), contest_id=contest.pk),
    ):
        with pytest.raises(TicketsArchived) as raised:
            ask()
        assert raised.value.data["archives"] == {"2030-03": "Safe of the Central Office"}
    auditor = staff_api(Role.AUDITOR)
    for path in ("sealed-tickets", "winning-tickets"):
        answer = auditor.get(f"lototrot/contests/{contest.pk}/{path}")
        refused(answer, 409, "tickets_archived")
    output = StringIO()
    call_command("seals_verify", stdout=output)
    assert f"contest {contest.pk}: archived, not counted" in output.getvalue()
    assert "0 contests, all as they were sealed; 1 archived" in output.getvalue()
    counts = nightly.seals_everything().counts
    assert counts == {"seals": 0, "seals_archived": 1}
    assert past_rounds(2) == []
    desk = Desk(Role.AUDITOR)
    said_there = desk.get(row_url(contest))
    assert "3 on which nobody has a right and 0 annulled ones are in the archives of" in said_there
    for model in (RetiredSales, RetiredMarks, RetiredPrizes):
        assert f"/{model._meta.model_name}/" in desk.get(list_url(model))
    sums = RetiredSales.objects.get()
    (terminal,) = Terminal.objects.in_bulk(sums.terminals).values()
    assert str(terminal) in desk.get(row_url(sums))


def test_a_staying_ticket_is_missed(own_month: ClosedPeriod, tmp_path: Path) -> None:
    stays = Ticket.objects.order_by("pk")[0]
    fields = {"ticket": stays, "road": "replay", "operator_id": stays.operator_id}
    CodeGiven.objects.create(**fields, given_at=clock.now())
    retired(own_month, tmp_path)
    retired_remove()
    assert list(Ticket.objects.all()) == [stays]
    refusing = pytest.raises(DatabaseError, match="append-only")
    with connections["owner"].cursor() as owner, refusing:
        owner.execute(f"DELETE FROM {TICKETS} WHERE id = {stays.pk}")
    forge("lototrot_codegiven", "DELETE FROM lototrot_codegiven")
    forge(TICKETS, f"DELETE FROM {TICKETS} WHERE id = {stays.pk}")
    assert (Fault.ROWS_DIFFER, TICKETS) in row_findings()  # three are gone, and two were to leave
    missed = {each.rule for each in verify().findings if each.table == "lototrot_prize"}
    assert "lototrot_prize.there" in missed
    assert {each.check for each in audit_contests().findings} >= {"tickets", "takings_cents"}
    assert [apart.account for apart in differences()[1]]


def test_what_is_named_meanwhile_stays_and_nothing_names_it_later(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_write(period=own_month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    for each in Ticket.objects.order_by("pk"):
        fields = {"ticket": each, "road": "replay", "operator_id": each.operator_id}
        CodeGiven.objects.create(**fields, given_at=clock.now())
    with monkeypatch.context() as patch:  # the database counts again
        patch.setattr(retiring, "_leaves", lambda table, ranges: 3 * (table.name == TICKETS))
        with pytest.raises(DatabaseError, match="3 were published"), transaction.atomic():
            confirm(proposal)
    confirm(proposal)
    rows = RetiredRows.objects.get(relation=TICKETS)
    assert (rows.count, rows.leaves) == (3, 0)
    assert RetiredRows.objects.get(relation="lototrot_prize").leaves == 0
    assert left(each.contest_id) is None
    with pytest.raises(DatabaseError, match="its month was retired"), transaction.atomic():
        CodeGiven.objects.create(**fields, given_at=clock.now())
    assert retired_remove() == leaving()  # prints, transfers and acts
    assert Ticket.objects.count() == 3


def test_a_night_that_ended_between_prints_and_tickets_is_finished(
    retired_month: ClosedPeriod,
) -> None:
    printed = "id IN (SELECT ticket_id FROM lototrot_printconfirmation)"
    refused = pytest.raises(DatabaseError, match="its print is there")
    with refused, connections["owner"].cursor() as owner:
        owner.execute(f"DELETE FROM {TICKETS} WHERE {printed} AND lototrot_ticket_leaves(id)")
    night_killed("_remove", TICKETS)
    assert row_findings() == []
    later = ("lototrot_prize", "statements_mark", "statements_markedbalance", "journal_act")
    behind = RetiredRows.objects.filter(relation__in=(TICKETS, *later))
    leave = sum(behind.values_list("leaves", flat=True))
    assert (retired_remove(), retired_remove()) == (leave, 0)
    factories.time_pass(days=60)
    assert retired_remove() == 0
    assert row_findings() == []


def test_a_ticket_sold_behind_one_of_the_next_month_leaves_with_that(
    own_database: Database, tmp_path: Path
) -> None:
    factories.time_to(rounds.NOON)
    point, masks = factories.point(), [(2, 4)]
    march = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    day = march.day.replace(month=4)
    april = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, day=day)
    seal_all()
    sold = [rounds.sell(of, point, masks)[0] for of in (march, april, march)]
    seal_all()
    for contest in (march, april):
        rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
        rounds.order(contest)
        factories.prints_ended(contest)
        seal_all()
    days_end(110)
    for name, gone in (("2030-03", [0]), ("2030-04", [0, 1, 2])):
        assert next_month_retired(tmp_path).archive.place.endswith(name)
        retired_remove()
        here = set(Ticket.objects.values_list("pk", flat=True))
        assert [i for i, ticket in enumerate(sold) if ticket.pk not in here] == gone
        assert audit_contests().findings == [] and row_findings() == []
        # The entries of a batch that sold for both months stay until the second one left.
        assert whole_entries(TICKETS).exists() == (len(gone) == 1)
    assert kept_where(march.pk) == dict.fromkeys(("2030-03", "2030-04"), PLACE)
    log = written(tmp_path, "log.jsonl", published_log()), public_key()
    for name in ("2030-03", "2030-04"):
        verdict = verifier("archive").check(str(tmp_path / name), *log)
        assert "it is the archive of which rows were retired" in verdict
    with (tmp_path / "journal").open("w", encoding="utf-8") as file:
        export(file)
    assert "WHOLE" in verifier("journal").check(str(tmp_path / "journal"), *log)


def whole_entries(relation: str) -> QuerySet[Block]:
    return Block.objects.filter(row_form__relation=relation).exclude(entries=None)


def test_a_month_that_is_retired_while_an_audit_reads_is_no_finding(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=own_month, folder=tmp_path)
    seal_all()
    proposal = proposed()

    def retire() -> None:
        confirm(proposal)
        assert retired_remove() == leaving()

    with meanwhile("lototrot_left_by_terminal", retire):  # the tickets are counted next
        counts = nightly.audit_everything().counts
    assert counts == {"contests": 1, "tickets": 3, "prizes": 2}
    assert nightly.audit_everything().counts == counts
