"""Sales against each other and against all that ends them, each race with a twin."""

import random
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database.locks import Lock, hold
from core.kernel.errors import DomainError
from core.ledger.models import Transfer
from core.premises import services as register
from core.premises.access import (
    BareTerminal,
    PremisesNotAuthorised,
    SalesSuspended,
    TerminalRevoked,
    bare_terminal,
)
from core.premises.models import Authorisation, BurntRequest, Suspension, Terminal
from core.premises.requests import CreditExhausted, UuidBurnt, new_uuid
from core.premises.suspending import sales_suspend
from core.staff import two_persons
from core.staff.powers import Role
from core.statements.guarantee import guarantee_limit_propose
from core.statements.models import GuaranteeLimit
from lototrot.engine.selection import WithdrawnNumber
from lototrot.models.contest import Contest
from lototrot.models.tickets import Reprint, Ticket
from lototrot.services.contest.closing import contest_close
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.tickets import printing
from lototrot.services.tickets.selling import Sold, request_state
from tests.support import factories
from tests.support.concurrency.sales import (
    PATIENCE_S,
    THROUGH_GATE,
    Race,
    against_a_sale_in_flight,
    elsewhere,
    eventually,
    install_sale,
    sell,
    selling_point,
    shut_gate,
    stopped_sale,
    together,
)
from tests.support.databases import Database
from tests.support.factories import Point

THREADS = 32


def bare(place: Point) -> BareTerminal:
    return BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)


# --- One UUID -------------------------------------------------------------------------------------


def test_one_uuid_sent_by_many_at_once_is_one_ticket(own_database: Database) -> None:
    contest, place = selling_point()
    install_sale(own_database, before_writing="pg_sleep(0.05)")
    ident = new_uuid()
    answers = together(*[lambda: sell(place, contest, ident)] * THREADS)
    assert all(isinstance(each, Sold) for each in answers)
    assert len({(a.uuid, a.code.text, a.sold_at, a.masks, a.amount_cents) for a in answers}) == 1
    assert [a.replayed for a in answers].count(False) == 1
    assert Ticket.objects.count() == Transfer.objects.count() == 1


def test_twin_without_the_request_lock_they_do_not_get_one_answer(own_database: Database) -> None:
    contest, place = selling_point()
    ident = new_uuid()
    selling = lambda: sell(place, contest, ident)  # noqa: E731
    with stopped_sale(own_database, selling, without=[Lock.REQUEST]) as sale:
        again = elsewhere(lambda: together(selling)[0])
        answers = [sale.commit(), again.result(PATIENCE_S)]
    assert isinstance(answers[0], Sold)
    assert isinstance(answers[1], IntegrityError)


# --- What ends a sale -----------------------------------------------------------------------------


def closing(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    act = lambda: contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)  # noqa: E731
    return act, (Lock.CONTEST, contest.pk)


def withdrawing(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    by, race = factories.staff(Role.STEWARDS), factories.races_of(contest)[0]
    act = lambda: withdrawal_enter(by=by, race_id=race.pk, number=1, source="Stewards")  # noqa: E731
    return act, (Lock.CONTEST, contest.pk)


def suspending(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    by = factories.staff(Role.ORGANISER)
    return lambda: sales_suspend(by=by, reason="test"), (Lock.SALES, 0)


def revoking(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    by, code = factories.staff(Role.ORGANISER), place.terminal.code
    return lambda: register.terminal_revoke(by=by, terminal=code), (Lock.SALES, 0)


def unauthorising(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    by = factories.staff(Role.ORGANISER)
    held = Authorisation.objects.get(premises=place.premises, game="lototrot").pk
    return lambda: register.authorisation_end(by=by, authorisation=held), (Lock.SALES, 0)


def lowering(contest: Contest, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    by, other = factories.two_organisers()
    proposal = guarantee_limit_propose(
        by=by,
        premises=place.premises.code,
        limit_cents=contest.price_cents,
        reference="Aval",
    )
    return lambda: two_persons.confirm(proposal=proposal.uuid, by=other), (Lock.SALES, 0)


def inquiring(ident: uuid.UUID, place: Point) -> tuple[Callable[[], Any], tuple[Lock, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_request_key(%s)", [ident])
        (key,) = cursor.fetchone()
    seller = bare_terminal(place.credentials)
    return lambda: request_state(terminal=seller, ident=ident), (Lock.REQUEST, key)


ENDS = [
    pytest.param(closing, ContestClosed, marks=pytest.mark.article("14.III.4")),
    pytest.param(withdrawing, WithdrawnNumber, marks=pytest.mark.article("14.III.5.4.1")),
    pytest.param(suspending, SalesSuspended),
    pytest.param(revoking, TerminalRevoked, marks=pytest.mark.article("14.I.6")),
    pytest.param(lowering, CreditExhausted),
    pytest.param(unauthorising, PremisesNotAuthorised, marks=pytest.mark.article("14.I.6")),
]


def race(database: Database, end: Any, *, with_lock: bool) -> tuple[Race, Contest, Point]:
    contest, place = selling_point()
    act, lock = end(contest, place)
    outcome = against_a_sale_in_flight(
        database,
        lambda: sell(place, contest, new_uuid()),
        act,
        lock,
        without=() if with_lock else [lock[0]],
    )
    return outcome, contest, place


@pytest.mark.parametrize(("end", "refusal"), ENDS)
def test_once_sales_have_ended_none_is_recorded(
    own_database: Database, end: Any, refusal: type[DomainError]
) -> None:
    """The act that ends sales waits for the sale in flight, which counts; the next one is
    refused.
    """
    outcome, contest, place = race(own_database, end, with_lock=True)
    assert isinstance(outcome.sale, Sold)
    assert not isinstance(outcome.act, Exception)
    assert outcome.recorded_after == 0
    with pytest.raises(refusal):
        sell(place, contest, new_uuid())
    ended = [
        *Contest.objects.filter(closed_at__isnull=False).values_list("closed_at", flat=True),
        *GuaranteeLimit.objects.filter(limit_cents=contest.price_cents).values_list(
            "in_force_from", flat=True
        ),
        *Suspension.objects.values_list("since", flat=True),
        *Terminal.objects.filter(revoked_at__isnull=False).values_list("revoked_at", flat=True),
        *Authorisation.objects.filter(valid_until__isnull=False).values_list(
            "valid_until", flat=True
        ),
    ]
    assert all(outcome.sale.sold_at < instant for instant in ended)


@pytest.mark.parametrize(("end", "refusal"), ENDS)
def test_twin_without_its_lock_a_sale_is_recorded_after_the_end(
    own_database: Database, end: Any, refusal: type[DomainError]
) -> None:
    outcome, _, _ = race(own_database, end, with_lock=False)
    assert isinstance(outcome.sale, Sold)
    assert outcome.recorded_after == 1


@pytest.mark.parametrize("with_lock", [True, False], ids=["", "twin"])
def test_an_inquiry_never_burns_what_a_sale_in_flight_then_sells(
    own_database: Database, with_lock: bool
) -> None:
    contest, place = selling_point()
    ident = new_uuid()
    act, lock = inquiring(ident, place)
    outcome = against_a_sale_in_flight(
        own_database,
        lambda: sell(place, contest, ident),
        act,
        lock,
        without=() if with_lock else [Lock.REQUEST],
    )
    both = BurntRequest.objects.filter(uuid=ident).exists() and isinstance(outcome.sale, Sold)
    assert both is not with_lock
    if with_lock:
        assert isinstance(outcome.act, Sold)
        assert outcome.act.code == outcome.sale.code


def test_a_uuid_is_sold_or_burnt_never_both(own_database: Database) -> None:
    contest, place = selling_point()
    idents = [new_uuid() for _ in range(60)]
    outcomes: set[str] = set()
    for pair in range(0, len(idents), 4):
        acts: list[Callable[[], Any]] = []
        for ident in idents[pair : pair + 4]:
            acts += [
                lambda ident=ident: sell(place, contest, ident),
                lambda ident=ident: request_state(terminal=bare(place), ident=ident),
            ]
        random.shuffle(acts)
        for answer in together(*acts):
            assert answer is None or isinstance(answer, Sold | UuidBurnt)
            outcomes.add(type(answer).__name__)
    sold = set(Ticket.objects.values_list("uuid", flat=True))
    burnt = set(BurntRequest.objects.values_list("uuid", flat=True))
    assert sold | burnt == set(idents)
    assert not sold & burnt


# --- Replays --------------------------------------------------------------------------------------


@pytest.mark.article("14.III.1.5")
@pytest.mark.parametrize("with_lock", [True, False], ids=["", "twin"])
def test_a_replay_waits_for_its_own_sale_though_the_contest_closes_meanwhile(
    own_database: Database, with_lock: bool
) -> None:
    """The first answer was lost, the terminal asks again, and the clock closes the contest."""
    contest, place = selling_point()
    ident = new_uuid()
    _, lock = inquiring(ident, place)
    without = () if with_lock else [Lock.REQUEST]
    with (
        stopped_sale(own_database, lambda: sell(place, contest, ident), without=without) as stopped,
        ThreadPoolExecutor(1) as pool,
    ):
        factories.time_to(contest.scheduled_close_at + timedelta(seconds=1))
        replay = pool.submit(lambda: together(lambda: sell(place, contest, ident))[0])
        key = (int(Lock.REQUEST), lock[1] & 0xFFFFFFFF)
        eventually(lambda: replay.done() or stopped.waiting(key) > 0)
        stopped.go_on()
        first, second = stopped.answer.result(), replay.result()
    assert isinstance(first, Sold)
    assert not first.replayed
    if with_lock:
        assert isinstance(second, Sold)
        assert second.replayed
        assert second.code == first.code  # for five minutes after closing [E11]
    else:
        assert isinstance(second, ContestClosed)


def test_a_replay_is_answered_while_the_contest_is_held_for_closing(own_database: Database) -> None:
    contest, place = selling_point()
    first = sell(place, contest, new_uuid())
    holding, answered = threading.Event(), threading.Event()

    def hold_alone() -> None:
        with transaction.atomic():
            hold((Lock.SALES, 0), (Lock.CONTEST, contest.pk))
            holding.set()
            assert answered.wait(30)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(lambda: together(hold_alone))
        assert holding.wait(30)
        again = sell(place, contest, first.uuid)
        answered.set()
        assert held.result() == [None]
    assert again.replayed
    assert again.code == first.code


# --- Many at once ---------------------------------------------------------------------------------


def close_under_load(database: Database, *, without: Sequence[Lock]) -> tuple[int, int, Contest]:
    """Sales by many while the contest closes: how many before, how many after, and the contest.

    Without a lock some sales are kept at a gate, just before they write, until it is closed.
    """
    contest, _ = selling_point()
    places = [factories.point() for _ in range(8)]
    for place in places:
        factories.acknowledge(contest, place)
    install_sale(
        database, without=without, before_writing=THROUGH_GATE if without else "pg_sleep(0.1)"
    )
    enough = threading.Event()
    sold: list[Sold] = []
    before: list[int] = []

    def seller(place: Point) -> None:
        while True:
            try:
                sold.append(sell(place, contest, new_uuid()))
            except ContestClosed:
                return
            if len(sold) > 100:
                enough.set()

    def closer() -> None:
        assert enough.wait(PATIENCE_S)
        with shut_gate() if without else nullcontext():
            contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
            before.append(Ticket.objects.count())

    together(closer, *[lambda place=place: seller(place) for place in places * 2])
    contest.refresh_from_db()
    assert Ticket.objects.count() == Transfer.objects.count() == len(sold)
    return before[0], Ticket.objects.count() - before[0], contest


@pytest.mark.article("14.III.4")
def test_closing_under_load_has_every_sale_before_it(own_database: Database) -> None:
    before, after, contest = close_under_load(own_database, without=())
    assert before > 100
    assert after == 0
    assert not Ticket.objects.filter(sold_at__gte=contest.closed_at).exists()


def test_twin_without_the_contests_lock_sales_follow_the_closing(own_database: Database) -> None:
    _, after, _ = close_under_load(own_database, without=[Lock.CONTEST])
    assert after > 0


@pytest.mark.article("14.III.4")
def test_the_clock_closes_under_load_with_nobody_there(own_database: Database) -> None:
    contest, _ = selling_point()
    places = [factories.point() for _ in range(8)]
    for place in places:
        factories.acknowledge(contest, place)
    factories.time_to(contest.scheduled_close_at - timedelta(seconds=1.2))

    def seller(place: Point) -> int:
        count = 0
        while True:
            try:
                sell(place, contest, new_uuid())
            except ContestClosed:
                return count
            count += 1

    sold = together(*[lambda place=place: seller(place) for place in places])
    last = Ticket.objects.order_by("-sold_at").first()
    assert last is not None
    assert last.sold_at < contest.scheduled_close_at
    assert Ticket.objects.count() == Transfer.objects.count() == sum(sold)


def test_one_uuid_for_copies_of_two_tickets_at_once_is_one_copy(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ask whether the UUID is new before either copy is there."""
    contest, place = selling_point()
    tickets, copy = [sell(place, contest, new_uuid()).uuid for _ in range(2)], new_uuid()
    asked, both = printing.need_new, threading.Barrier(2)

    def need_new(ident: uuid.UUID) -> None:
        asked(ident)
        with suppress(threading.BrokenBarrierError):
            both.wait(timeout=1)

    monkeypatch.setattr(printing, "need_new", need_new)
    copies = [
        lambda ticket=ticket: printing.ticket_reprint(by=place.actor, ident=ticket, copy=copy)
        for ticket in tickets
    ]
    answers = together(*copies)
    assert sorted(type(answer).__name__ for answer in answers) == ["UuidReused", "tuple"]
    assert Reprint.objects.get().uuid == copy
