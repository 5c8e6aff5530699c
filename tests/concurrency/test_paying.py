"""Pay one ticket at several places at once and kill payers: it is paid once (14.III.10.4).

The twins take away what prevents a second payment, and see it happen.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import (
    IntegrityError,
    InterfaceError,
    OperationalError,
    connection,
    connections,
    transaction,
)

from core.database import clock
from core.database.locks import Lock
from core.database.sql_files import read_sql
from core.kernel.days import natural_day
from core.kernel.errors import DomainError
from core.payoffice import refusals
from core.payoffice.services import goods
from core.payoffice.services.checking import holder_check
from core.payoffice.services.deposits import DepositRequest, deposit_take
from core.payoffice.services.desk import desk_pay
from core.payoffice.services.matching import deposit_match
from core.payoffice.services.paying import Paid, PayRequest, payment_make
from core.payoffice.services.presenting import presentation_make
from core.payoffice.services.ruling import ruling_propose
from core.payoffice.sources import Lapsed
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.breach import BreachChanged, breach_block
from tests.support import factories, paying, rounds
from tests.support.concurrency.forking import Forked
from tests.support.concurrency.killing import lines_of
from tests.support.concurrency.payer import pay
from tests.support.concurrency.sales import (
    THROUGH_GATE,
    apart,
    eventually,
    together,
    together_at_the_gate,
)
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.factories.request_uuids import SystemClock
from tests.support.journaling import meanwhile

pytestmark = pytest.mark.article("14.III.10.4")
ATTEMPTS, AT_ONCE, CENTS = 100, 25, 500
_PAUSES = random.Random(14)


def paid_once(database: Database, tickets: int) -> None:
    """By SQL alone: so many claims, each with its payment and its transfer of the same cents."""
    with psycopg.connect(database.owner_url) as owner:
        counts = owner.execute(
            "SELECT (SELECT count(*) FROM payoffice_claim),"
            " (SELECT count(*) FROM payoffice_payment),"
            " (SELECT count(*) FROM payoffice_payment p"
            "    JOIN payoffice_claim c ON c.id = p.claim_id AND c.state = 'paid'"
            "    JOIN ledger_transfer t ON t.reference = p.uuid AND t.line = 0"
            "     AND t.amount_cents = p.amount_cents AND t.amount_cents = c.amount_cents),"
            " (SELECT count(*) FROM ledger_transfer WHERE kind = 'payoffice.prize')"
        ).fetchone()
    assert counts == (tickets,) * 4


def attempts(won: paying.Presented, points: list[Point]) -> Counter[str]:
    """A hundred attempts to pay one ticket, a quarter of them at any moment; how they ended."""

    def several(point: Point) -> Callable[[], list[str]]:
        def act() -> list[str]:
            ended = []
            for _ in range(ATTEMPTS // AT_ONCE):
                try:
                    payment_make(at=point.actor, request=won.request())
                except refusals.AlreadyPaid as error:
                    ended.append(error.code)
                else:
                    ended.append("paid")
            return ended

        return act

    answers = together(*[several(point) for point in points])
    return Counter(each for answer in answers for each in answer)


def test_a_hundred_attempts_on_one_ticket_make_one_payment(own_database: Database) -> None:
    (won,) = paying.worth(CENTS)
    points = [factories.point() for _ in range(AT_ONCE)]
    assert attempts(won, points) == {"paid": 1, "already_paid": ATTEMPTS - 1}
    paid_once(own_database, 1)


def test_twin_without_the_claims_key_a_ticket_is_paid_many_times(own_database: Database) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("ALTER TABLE payoffice_claim DROP CONSTRAINT claim_of_document")
    (won,) = paying.worth(CENTS)
    ended = together(
        *[
            lambda point=point: payment_make(at=point.actor, request=won.request())
            for point in [factories.point() for _ in range(AT_ONCE)]
        ]
    )
    assert sum(isinstance(each, Paid) for each in ended) > 1


def retries(point: Point, request: PayRequest) -> list[Any]:
    return together(*[lambda: payment_make(at=point.actor, request=request)] * AT_ONCE)


def test_a_retry_at_the_same_instant_gets_the_same_answer(own_database: Database) -> None:
    (won,) = paying.worth(CENTS)
    answers = retries(factories.point(), won.request())
    assert Counter(each.replayed for each in answers) == {False: 1, True: AT_ONCE - 1}
    assert len({(each.uuid, each.paid_at, each.amount_cents) for each in answers}) == 1
    paid_once(own_database, 1)


def under_one_uuid() -> list[Callable[[], Any]]:
    """The payments of two tickets, by a client that gave both the same UUID."""
    point, ident = factories.point(), new_uuid()
    return [
        lambda each=each: payment_make(at=point.actor, request=each.request(uuid=ident))
        for each in paying.worth(CENTS, CENTS)
    ]


def test_one_uuid_for_two_tickets_pays_one_of_them(own_database: Database) -> None:
    answers = together(*under_one_uuid())
    assert sorted(type(each).__name__ for each in answers) == ["Paid", "RequestUuidReused"]
    paid_once(own_database, 1)


def test_twin_without_the_requests_lock_the_second_runs_into_the_first(
    own_database: Database,
) -> None:
    text = read_sql(Path(ROOT, "core", "payoffice", "sql", "pay.sql"))
    lock = f"    v_done := pg_advisory_xact_lock({Lock.REQUEST:d}, core_request_key(v.uuid));\n"
    write = "    INSERT INTO payoffice_payment ("
    assert (text.count(lock), text.count(write)) == (1, 1)
    twin = text.replace(lock, "").replace(write, f"    PERFORM {THROUGH_GATE};\n{write}")
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(twin)
    answers = together_at_the_gate(own_database, *under_one_uuid())
    assert any(isinstance(each, IntegrityError) for each in answers), answers


def test_a_payment_and_a_deposit_at_once_leave_one_of_them(own_database: Database) -> None:
    won = paying.worth(*[CENTS] * 8)
    point = factories.point()
    for each in won:
        paid, taken = together(
            lambda each=each: payment_make(at=point.actor, request=each.request()),
            lambda each=each: deposit_take(
                at=point.actor, request=DepositRequest(new_uuid(), "damaged", "", each.code)
            ),
        )
        refused = [answer for answer in (paid, taken) if isinstance(answer, Exception)]
        assert len(refused) == 1, (paid, taken)
        assert isinstance(refused[0], refusals.AlreadyPaid | refusals.MoneyHeld)


@pytest.mark.article("14.III.10.7")
@pytest.mark.parametrize("kept", [True, False])
def test_the_lapse_waits_for_a_payment_still_in_flight_at_midnight(
    own_database: Database, kept: bool
) -> None:
    """[D3]: what it becomes decides, and no cent is in two places."""
    (won,) = paying.worth(CENTS)
    point = factories.point()
    factories.time_pass(days=29)
    written, go_on = threading.Event(), threading.Event()

    def late_payment() -> None:
        try:
            with transaction.atomic():
                payment_make(at=point.actor, request=won.request())
                written.set()
                assert go_on.wait(30)
                if not kept:
                    transaction.set_rollback(True)
        finally:
            connections.close_all()

    def night() -> Lapsed:
        try:
            return lapse(won.contest.pk, natural_day(clock.now()))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        paying_late = pool.submit(late_payment)
        assert written.wait(30)
        factories.time_pass(days=1)
        lapsing = pool.submit(night)
        with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
            waiting = "SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
            eventually(lambda: owner.execute(waiting).fetchone() is not None)
        go_on.set()
        paying_late.result(30)
        assert lapsing.result(30) == (Lapsed(0, 0) if kept else Lapsed(1, CENTS))


class _Desks:
    """A voucher for a thing, and two cashiers, each of whom pays or exchanges it at once."""

    def __init__(self) -> None:
        self.voucher, _ = paying.bicycles()
        place = paying.office()
        paying.stocked(place, 2)
        self.cashiers = [paying.cashier(place) for _ in range(2)]

    def present(self) -> None:
        presentation_make(at=self.cashiers[1], code=self.voucher.code)

    def does(self, act: str, number: int) -> str:
        """Return "paid" or "exchanged", or the code of the refusal."""
        by, code = self.cashiers[number], self.voucher.code
        try:
            if act == "paid":
                desk_pay(by=by, request=self.voucher.request())
            else:
                request = goods.ExchangeRequest(new_uuid(), intact=True, code=code)
                goods.exchange_make(by=by, request=request)
        except DomainError as error:
            return error.code
        return act


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize("presented", [False, True])
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    ("first", "second"), [("paid", "exchanged"), ("exchanged", "paid"), ("exchanged", "exchanged")]
)
def test_a_payment_and_an_exchange_at_once_answer_what_became_of_the_voucher(
    own_database: Database, first: str, second: str, kept: bool, presented: bool
) -> None:
    """[P4]: the second waits for the first; it succeeds if the first is undone."""
    desks = _Desks()
    if presented:
        desks.present()
    written, go_on = threading.Event(), threading.Event()

    def in_flight() -> str:
        with transaction.atomic():
            outcome = desks.does(first, 0)
            written.set()
            assert go_on.wait(30)
            transaction.set_rollback(not kept)
        return outcome

    earlier = apart(in_flight)
    assert written.wait(30)
    later = apart(lambda: desks.does(second, 1))
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        waiting = "SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
        eventually(lambda: owner.execute(waiting).fetchone() is not None)
    go_on.set()
    assert earlier.result(30) == first
    assert later.result(30) == (f"already_{first}" if kept else second)
    rounds.books_agree()


@pytest.mark.article("15.III.6.5")
def test_a_voucher_that_is_presented_meanwhile_is_exchanged(own_database: Database) -> None:
    desks = _Desks()
    with meanwhile("payoffice_stockitem", desks.present):
        assert desks.does("exchanged", 0) == "exchanged"
    rounds.books_agree()


# --- Kills ----------------------------------------------------------------------------------------


def test_sessions_ended_in_mid_payment_pay_once(own_database: Database) -> None:
    """The client sends the same request again, and gets the payment, whatever the first became."""
    won = paying.worth(*[CENTS] * 120)
    point, todo, ended = factories.point(), iter(won), []
    turn = threading.Lock()
    stop, system_clock = threading.Event(), SystemClock()
    sessions: dict[int, int] = {}

    def payer() -> None:
        try:
            while True:
                with turn:
                    ticket = next(todo, None)
                if ticket is None:
                    return
                pay_until_answered(ticket.request(uuid=system_clock.request_uuid()))
        finally:
            stop.set()

    def pay_until_answered(request: PayRequest) -> None:
        while True:
            try:
                connection.ensure_connection()
                sessions[threading.get_ident()] = connection.connection.info.backend_pid
                payment_make(at=point.actor, request=request)
            except (OperationalError, InterfaceError):  # what is not run again by itself
                connection.close()
                continue
            return

    def killer() -> None:
        with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
            while not stop.is_set():
                for session in list(sessions.values()):
                    row = owner.execute("SELECT pg_terminate_backend(%s)", [session]).fetchone()
                    if row and row[0]:
                        ended.append(session)
                time.sleep(0.03)

    assert together(killer, *[payer] * 4) == [None] * 5
    assert ended
    paid_once(own_database, len(won))


def test_a_payer_killed_between_paying_and_answering(
    own_database: Database, tmp_path: Path
) -> None:
    """SIGKILL at any moment; every request sent again has one payment and one answer."""
    won = paying.worth(*[CENTS] * 400)
    point = factories.point()
    requests = {str(each.uuid): each for each in (ticket.request() for ticket in won)}
    plan = {
        "token": point.token,
        "session": point.session_token,
        "cents": CENTS,
        "tickets": [(ident, each.code) for ident, each in requests.items()],
    }
    output = tmp_path / "payer.txt"
    payer = Forked(pay, plan, environment=own_database.environment, output=output)
    try:
        eventually(lambda: "\n".join(lines_of(output)).count("paid") >= 10)
        time.sleep(_PAUSES.random() * 0.05)
        assert payer.poll() is None, payer.errors()
    finally:
        payer.kill()
    lines = [line.split() for line in lines_of(output)]
    asked = [ident for word, ident in lines if word == "asked"]
    answered = {ident for word, ident in lines if word == "paid"}
    for ident in asked:
        again = payment_make(at=point.actor, request=requests[ident])
        assert again.replayed or ident not in answered
        assert payment_make(at=point.actor, request=requests[ident]).paid_at == again.paid_at
    paid_once(own_database, len(asked))


@pytest.mark.article("14.I.6", "14.III.10.5")
def test_a_block_waits_for_two_persons_who_are_deciding(own_database: Database) -> None:
    """[C5, C6]: they refuse a paper for another that was presented, and do not see the block."""
    factories.time_to(rounds.NOON)
    suspect, place = factories.point(), factories.point()
    (won,) = paying.settled(1, losers=1, at=suspect)
    presentation_make(at=place.actor, code=won.code)
    by, other = factories.staff(Role.ORGANISER), paying.deposited("", place.actor, "unreadable")
    matched: dict[str, Any] = {"game": "lototrot", "document": won.ticket.uuid}
    deposit_match(by=by, deposit=other.uuid, evidence="Sold then.", **matched)
    factories.time_pass(days=40)
    ruling = ruling_propose(by=by, verdict="refused", reason="Another.", deposit=other.uuid)
    factories.ended(suspect.terminal, won.contest.opened_at)
    block = breach_block(by=by, contest_id=won.contest.pk)
    second = factories.staff(Role.ORGANISER)
    waiting = "SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
    with transaction.atomic():
        paying.confirmed(ruling)
        blocking = apart(lambda: two_persons.confirm(proposal=block.uuid, by=second))
        eventually(lambda: blocking.done() or _any(waiting))
    with pytest.raises(BreachChanged):
        blocking.result()
    assert holder_check(code=won.code).state == "presented"
    rounds.books_agree()


def _any(query: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS ({query})")
        return bool(cursor.fetchone()[0])
