"""kill -9 of PostgreSQL whole: what was answered is there, once, and nothing that was half done."""

import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import Error, connections
from pytest_django import DjangoDbBlocker

from core.proofs import keys, merkle
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.tools.embedded.postgres import Postgres
from lototrot.engine.races import Race
from lototrot.models.tickets import Ticket
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement import payment_order, settling
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.concurrency import player, seller
from tests.support.concurrency.crashing import session_killed
from tests.support.concurrency.dying import everything
from tests.support.concurrency.killing import SELLERS, Players, audit, sellers
from tests.support.concurrency.sales import eventually
from tests.support.servers import migrate, used
from tests.support.verifying.load import verifier

TICKETS, PLAYERS = 20_000, 8
SALES_AT_ONCE = 3  # of each seller
CRASHES = 3


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Postgres]:
    folder = tmp_path_factory.mktemp("killed")
    server = Postgres(folder / "postgres", {"shared_buffers": "64MB"})
    with django_db_blocker.unblock():
        migrate(server)
        try:
            server.start()
            yield server
        finally:
            server.destroy()


@pytest.mark.article("14.III.1.5", "15.III.3")
def test_a_crash_of_the_whole_server_loses_nothing_answered(
    server: Postgres,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Recovery, and the terminals go on with the UUIDs that were in doubt."""
    environment = {"DATABASE_URL": server.app_url, "DATABASE_OWNER_URL": server.owner_url}
    with used(server):
        earlier = set(Ticket.objects.values_list("uuid", flat=True))
        sale, play = seller.prepare(), player.prepare(TICKETS, PLAYERS)
    players = Players(play, environment, tmp_path / "players.txt")
    try:
        with sellers(environment, sale, tmp_path, sales=5) as running:
            for _ in range(CRASHES):
                goals = [len(each.lines("sold")) + 5 for each in (*running, players)]
                eventually(
                    lambda goals=goals: all(
                        len(each.lines("sold")) > goal
                        for each, goal in zip((*running, players), goals, strict=True)
                    )
                )
                server.crash()
            before = len(players.lines("played"))
            eventually(lambda: len(players.lines("played")) > before + PLAYERS)
    finally:
        players.process.kill()
    answered = {ident for each in running for ident in each.lines("sold")}
    in_doubt = {ident for each in running for ident in each.in_doubt}
    assert len(in_doubt) <= SELLERS * SALES_AT_ONCE
    with psycopg.connect(server.owner_url) as session:
        audit(session, answered, earlier | answered | in_doubt)
        audit_plays(session, players)
    with used(server):
        call_command("ledger_rebuild")
    assert "none differs" in capsys.readouterr().out


def audit_plays(session: psycopg.Connection, players: Players) -> None:
    """By SQL alone: each answered play is there, each ticket once, and all of it is paid for."""

    def none(query: str) -> None:
        assert session.execute(query).fetchone() == (0,), query

    asked = {uuid.UUID(line[0]) for line in players.lines("asked")}
    rows: dict[uuid.UUID, Any] = dict(
        session.execute(
            "SELECT t.uuid, e.tier FROM promotrot_playticket t"
            " LEFT JOIN promotrot_playend e ON e.ticket_id = t.id"
        ).fetchall()
    )
    assert {uuid.UUID(ident) for (ident,) in players.lines("sold")} <= rows.keys() <= asked
    tiers = {uuid.UUID(ident): int(tier) for ident, tier in players.lines("played")}
    assert {ident: rows[ident] for ident in tiers} == tiers
    assert len(asked - tiers.keys()) <= PLAYERS
    # The places sold are the first ones of each lane, each once.
    none(
        "SELECT count(*) FROM (SELECT opening, first + n AS position FROM promotrot_lane,"
        " generate_series(0, taken - 1) n) given FULL JOIN promotrot_playticket t"
        " USING (opening, position) WHERE t.id IS NULL OR given.position IS NULL"
    )
    none(
        "SELECT count(*) FROM promotrot_playend e FULL JOIN promotrot_playact a"
        " ON a.ticket_id = e.ticket_id AND a.number = 1 WHERE a.id IS NULL OR e.id IS NULL"
    )
    none(
        "SELECT count(*) FROM promotrot_playend e LEFT JOIN promotrot_voucher v"
        " ON v.ticket_id = e.ticket_id WHERE coalesce(v.amount_cents, 0) <> e.awarded_cents"
    )
    for kind, table, cents in (
        ("promotrot.sale", "promotrot_playticket", "price_cents"),
        ("promotrot.award", "promotrot_voucher", "amount_cents"),
    ):
        none(
            f"SELECT count(*) FROM {table} d FULL JOIN (SELECT * FROM ledger_transfer"
            f" WHERE kind = '{kind}') x ON x.reference = d.uuid AND x.amount_cents = d.{cents}"
            " WHERE d.id IS NULL OR x.id IS NULL"
        )


@pytest.mark.article("14.III.1.5", "14.III.8.2", "14.III.9.6")
def test_a_seal_a_settlement_and_an_order_that_a_crash_cuts_off_are_made_once(
    server: Postgres,
) -> None:
    with used(server):
        factories.time_to(rounds.NOON)
        contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
        rounds.sell(contest, factories.point(), [(1, 1), (1, 2), (2, 4)])
        factories.contest_closed(contest, sealed=False)
        seal = partial(contest_seal, contest_id=contest.pk)
        crashed_after(server.crash, merkle, "root", seal)
        rounds.run(contest, [Race((1, 2, 3), winners=frozenset({1}))] * 2)
        settle = partial(contest_settle, contest_id=contest.pk)
        crashed_after(partial(session_killed, server), settling, "_verify", settle)
        first, second = factories.two_organisers()
        proposal = payment_order_propose(by=first, contest_id=contest.pk)
        order = partial(two_persons.confirm, proposal=proposal.uuid, by=second)
        crashed_after(server.crash, payment_order, "payment_order_publish", order)
        rounds.books_agree()
        published = [each.published() for each in LogEntry.objects.order_by("sequence")]
        holds = verifier("public_log").log_holds(published, [keys.current_public()])
    assert holds.startswith("WHOLE")


def crashed_after(
    crash: Callable[[], None], module: ModuleType, name: str, act: Callable[[], object]
) -> None:
    """Do an act, after a function of which the server crashes; then it is made, and once."""
    untouched = everything()
    do = getattr(module, name)

    def crashing(*arguments: Any, **named: Any) -> Any:
        answer = do(*arguments, **named)
        crash()
        return answer

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Error):
        patch.setattr(module, name, crashing)
        act()
    connections.close_all()
    assert everything() == untouched
    act()
    done = everything()
    assert done != untouched
    act()
    assert everything() == done
