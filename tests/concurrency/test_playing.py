"""Races of plays on real connections, each with a twin that shows what its lock prevents."""

import re
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from django.db import IntegrityError, connection

from core.database.locks import Lock
from core.database.sql_files import read_sql
from core.ledger.models import Transfer
from core.premises.requests import UuidBurnt, UuidReused, need_new, new_uuid
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from promotrot.models.emission import Emission, Lane
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher, VoucherReprint
from promotrot.selectors.facts import REVEAL
from promotrot.services import vouchers
from promotrot.services.dealing import dealing
from promotrot.services.office import handing
from promotrot.services.playing import PlayEnded, PlayView, play_act
from promotrot.services.selling import (
    EmissionClosed,
    EmissionSoldOut,
    PlayRequest,
    Sold,
    play_sell,
    request_state,
)
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.concurrency.sales import THROUGH_GATE, together, together_at_the_gate
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.factories.request_uuids import V7

ROUNDS = 12


def install(database: Database, name: str, *, without: Lock, gate_before: str = "") -> None:
    """Put a variant of the SQL in place: without a lock, and with a gate where two would meet."""
    text = read_sql(Path(ROOT, "promotrot", "sql", f"{name}.sql"))
    line = rf"^ *(?:PERFORM|v_done :=) pg_advisory_xact_lock(_shared)?\({int(without)}, .*\);$"
    text, removed = re.subn(line, "", text, flags=re.MULTILINE)
    assert removed >= 1
    if gate_before:
        assert text.count(gate_before) == 1
        text = text.replace(gate_before, f"    PERFORM {THROUGH_GATE};\n{gate_before}")
    with psycopg.connect(database.owner_url) as owner:
        owner.execute(text)


def sell(place: Point, emission: Emission, ident: uuid.UUID) -> Sold:
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    return play_sell(credentials=place.credentials, request=request)


def bought(place: Point, emission: Emission) -> uuid.UUID:
    return sell(place, emission, new_uuid()).uuid


def winning(place: Point, emission: Emission) -> PlayTicket:
    while True:
        ticket = PlayTicket.objects.get(uuid=bought(place, emission))
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            return ticket


def acting(place: Point, ident: uuid.UUID, act: str = REVEAL) -> Callable[[], PlayView]:
    return lambda: play_act(credentials=place.credentials, ident=ident, number=1, act=act)


def test_the_same_sale_sent_twice_at_once_is_one_ticket(own_database: Database) -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    for _ in range(ROUNDS):
        ident = new_uuid()
        answers = together(*[lambda ident=ident: sell(place, emission, ident)] * 3)
        assert sorted(answer.replayed for answer in answers) == [False, True, True]
    assert PlayTicket.objects.count() == Transfer.objects.count() == ROUNDS
    assert sum(Lane.objects.values_list("taken", flat=True)) == ROUNDS


def test_the_same_act_sent_twice_at_once_is_one_act(own_database: Database) -> None:
    ladder, place = emitting.opened(emitting.document("trotters-ladder")), factories.point()
    for _ in range(ROUNDS):
        ident = bought(place, ladder)
        first, second = together(*[acting(place, ident, "trot")] * 2)
        assert first.steps == second.steps
    assert PlayAct.objects.count() == ROUNDS


def test_without_the_play_s_lock_the_same_act_collides(own_database: Database) -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    ident = bought(place, emission)
    insert = "    INSERT INTO promotrot_playact (ticket_id"
    install(own_database, "play", without=Lock.TICKET, gate_before=insert)
    answers = together_at_the_gate(own_database, *[acting(place, ident)] * 2)
    assert any(isinstance(answer, IntegrityError) for answer in answers), answers


def test_the_player_and_the_night_end_a_play_once(own_database: Database) -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    causes = set()
    for _ in range(ROUNDS):
        ticket = (
            winning(place, emission)
            if not causes
            else PlayTicket.objects.get(uuid=bought(place, emission))
        )
        played, ended = together(
            acting(place, ticket.uuid), lambda ticket=ticket: play_end_unfinished(ticket)
        )
        end = PlayEnd.objects.get(ticket=ticket)
        assert (end.cause == "unfinished") == (ended == "unfinished")
        assert isinstance(played, PlayEnded if ended else PlayView)
        causes.add(end.cause)
    worth = sum(PlayEnd.objects.values_list("awarded_cents", flat=True))
    assert sum(Voucher.objects.values_list("amount_cents", flat=True)) == worth


def selling(place: Point, emission: Emission) -> list[uuid.UUID]:
    """Sell until there is nothing left to sell; every other error is the test's."""
    sold = []
    while True:
        try:
            sold.append(bought(place, emission))
        except (EmissionClosed, EmissionSoldOut):
            return sold


def test_a_closing_has_every_ticket_sold_before_it(own_database: Database) -> None:
    emission, points = emitting.opened(emitting.small()), [factories.point() for _ in range(4)]
    *sold, closed = together(
        *[lambda place=place: selling(place, emission) for place in points],
        lambda: emitting.closed(emission),
    )
    answered = {ident for each in sold for ident in each}
    assert set(PlayTicket.objects.values_list("uuid", flat=True)) == answered
    assert closed.closing.document["sold"] == len(answered)


def test_terminals_that_meet_at_the_last_tickets(own_database: Database) -> None:
    """None waits for another in a circle: the rest is sold, and everybody is told so."""
    points = [factories.point() for _ in range(6)]
    for number in range(3):
        emission = emitting.opened(emitting.small(f"last-{number}"))
        sold = together(*[lambda p=place, e=emission: selling(p, e) for place in points])
        answered = [ident for each in sold for ident in each]
        assert len(set(answered)) == len(answered) == emission.tickets


def test_a_uuid_is_sold_or_burnt_and_never_both(own_database: Database) -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    for _ in range(ROUNDS):
        ident = new_uuid()
        sale, outcomes = together(
            lambda ident=ident: sell(place, emission, ident),
            lambda ident=ident: request_state(terminal=place.bare, ident=ident),
        )
        assert isinstance(sale, Sold if outcomes else UuidBurnt)


def test_a_copy_asked_for_two_vouchers_at_once_is_of_one(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other is told that the id is used; it got an internal error."""
    emission, place = emitting.opened(emitting.small()), factories.point()
    won = [acting(place, winning(place, emission).uuid)().vouchers[0].uuid for _ in range(2)]
    meeting, copy = threading.Barrier(2), new_uuid()

    def met(ident: uuid.UUID) -> None:
        with suppress(threading.BrokenBarrierError):
            meeting.wait(1)
        need_new(ident)

    monkeypatch.setattr(vouchers, "need_new", met)
    answers = together(
        *[
            lambda each=each: vouchers.voucher_reprint(by=place.actor, ident=each, copy=copy)
            for each in won
        ]
    )
    assert VoucherReprint.objects.get().uuid == copy
    assert sum(isinstance(answer, UuidReused) for answer in answers) == 1, answers


def test_a_held_voucher_is_handed_to_one_only(own_database: Database) -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    desks = [paying.cashier() for _ in range(2)]
    play_end_unfinished(winning(place, emission))
    held = handing.vouchers_held(by=desks[0]).get()
    answers = together(
        *[
            lambda desk=desk: handing.handover_propose(by=desk, ident=held.uuid, claim="receipt")
            for desk in desks
        ]
    )
    (proposal,) = [answer for answer in answers if isinstance(answer, Proposal)]
    seconds = [factories.staff(Role.SUPERVISOR) for _ in range(2)]
    answers = together(
        *[lambda by=by: two_persons.confirm(proposal=proposal.uuid, by=by) for by in seconds]
    )
    assert sum(isinstance(answer, two_persons.ProposalDecided) for answer in answers) == 1


@pytest.mark.article("15.III.3")
def test_a_sale_rolled_back_gives_its_ticket_to_the_next(own_database: Database) -> None:
    """None is skipped: the number goes back to its lane with the transaction.

    The next buys elsewhere: sales of one premises take their credit in turn.
    """
    emission, place = emitting.opened(emitting.small()), factories.point()
    with psycopg.connect(own_database.app_url) as session:
        row = session.execute(
            "SELECT outcome FROM promotrot_sell(p_token => %s, p_session => %s,"
            f" p_uuid => {V7}, p_emission => %s, p_price => %s)",
            (
                place.credentials.token_digest,
                place.credentials.session_digest,
                emission.pk,
                emission.price_cents,
            ),
        ).fetchone()
        assert row == ("sold",)
        other = bought(factories.point(), emission)
        session.rollback()
    assert PlayTicket.objects.get().uuid == other
    for _ in range(emission.tickets - 1):
        bought(place, emission)
    with pytest.raises(EmissionSoldOut):
        bought(place, emission)
    connection.close()
