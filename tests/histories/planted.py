"""Faults planted in the system, each of which the check of histories must find.

Each is planted in the test's own database, or in this process, for the length of a context.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

import psycopg
from django.db import connections, transaction

from core.database import clock
from core.database.locks import Lock
from core.database.sql_files import read_sql
from core.draws import conducting, method
from core.draws.models import Commitment, Draw, DrawField
from core.payoffice.services import finding
from core.payoffice.services import paying as payments
from core.premises.requests import new_uuid
from core.tools.embedded.server import ROOT
from lototrot.models.tickets import Ticket
from lototrot.services.contest import closing
from lototrot.services.prizes import lapsing
from lototrot.services.seal import sealing
from lototrot.services.tickets import annulment
from lototrot.services.tickets import selling as sales
from tests.histories import drawing, paying, selling
from tests.histories.history import Answer
from tests.support.concurrency.sales import install_sale
from tests.support.databases import Database

_LATER_S = 0.05
Planting = Callable[[Database], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault: the ground on which it shows, and in words what is wrong."""

    name: str
    ground: ModuleType
    words: str
    plant: Planting


@contextmanager
def _patched(*patches: Any) -> Iterator[None]:
    with ExitStack() as planted:
        for patch in patches:
            planted.enter_context(patch)
        yield


def _clock_with(now: Callable[[], Any]) -> SimpleNamespace:
    return SimpleNamespace(**{**vars(clock), "now": now})


def _owner(database: Database, *statements: str) -> None:
    with psycopg.connect(database.owner_url) as owner:
        for statement in statements:
            owner.execute(statement)


# --- Selling --------------------------------------------------------------------------------------


def _sale_without(lock: Lock) -> Planting:
    @contextmanager
    def plant(database: Database) -> Iterator[None]:
        install_sale(database, without=[lock], before_writing=f"pg_sleep({_LATER_S})")
        yield

    return plant


@contextmanager
def _sale_after_closing(database: Database) -> Iterator[None]:
    text = read_sql(Path(ROOT, "lototrot", "sql", "sell.sql"))
    check = "\n            OR sold_at >= v_contest.scheduled_close_at"
    assert text.count(check) == 1
    _owner(database, text.replace(check, ""))
    yield


def _new_request(database: Database) -> AbstractContextManager[None]:
    def sell_again(ground: selling.SellingGround, name: str) -> Answer:
        ident = new_uuid()
        ground.names[ident] = name
        return ground.sell(name, ident)

    return _patched(mock.patch.object(selling.SellingGround, "sell_again", sell_again))


@contextmanager
def _answered_early(ground: type, name: str) -> Iterator[None]:
    """Answer when the act is done, and commit a moment later."""
    threads: list[threading.Thread] = []
    act = getattr(ground, name)

    def early(*arguments: Any) -> Answer:
        answered, ended = threading.Event(), []

        def work() -> None:
            try:
                with transaction.atomic():
                    ended.append(act(*arguments))
                    answered.set()
                    time.sleep(_LATER_S)
            except Exception as error:  # noqa: BLE001 (raised in the client's thread)
                ended.append(error)
            finally:
                answered.set()
                connections.close_all()

        thread = threading.Thread(target=work)
        threads.append(thread)
        thread.start()
        answered.wait()
        if isinstance(ended[0], Exception):
            raise ended[0]
        return ended[0]

    try:
        with mock.patch.object(ground, name, early):
            yield
    finally:
        for thread in threads:
            thread.join()


def _closing_clock_first(database: Database) -> AbstractContextManager[None]:
    read = threading.local()
    hold = closing.hold

    def late_hold(*wanted: Any, **more: Any) -> None:
        read.now = clock.now()
        time.sleep(_LATER_S)
        hold(*wanted, **more)

    def now() -> Any:
        return read.__dict__.pop("now", None) or clock.now()

    return _patched(
        mock.patch.object(closing, "hold", late_hold),
        mock.patch.object(closing, "clock", _clock_with(now)),
    )


def _annulled_unlocked(database: Database) -> AbstractContextManager[None]:
    def now() -> Any:
        instant = clock.now()
        time.sleep(_LATER_S)
        return instant

    return _patched(
        mock.patch.object(annulment, "hold", lambda *wanted, **more: None),
        mock.patch.object(annulment, "clock", _clock_with(now)),
    )


def _other_ticket(database: Database) -> AbstractContextManager[None]:
    again = sales.sold_again

    def newest(ticket: Ticket, **more: Any) -> Any:
        others = Ticket.objects.filter(terminal_id=ticket.terminal_id)
        return again(others.latest("pk"), **more)

    return _patched(mock.patch.object(sales, "sold_again", newest))


def _sealed_unlocked(database: Database) -> AbstractContextManager[None]:
    tree = sealing._tree

    def slow(contest: Any) -> Any:
        counted = tree(contest)
        time.sleep(_LATER_S)
        return counted

    return _patched(
        mock.patch.object(sealing, "hold_for_long", lambda *wanted, **more: None),
        mock.patch.object(sealing, "_tree", slow),
    )


# --- Paying ---------------------------------------------------------------------------------------


@contextmanager
def _claims_key_dropped(database: Database) -> Iterator[None]:
    _owner(database, "ALTER TABLE payoffice_claim DROP CONSTRAINT claim_of_document")
    yield


@contextmanager
def _lapse_takes_all(database: Database) -> Iterator[None]:
    _owner(database, "ALTER TABLE payoffice_claim DISABLE TRIGGER USER")
    statement = lapsing._LAPSE.replace(
        "ON CONFLICT DO NOTHING",
        "ON CONFLICT (game, document_id) DO UPDATE SET state = 'lapsed', day = EXCLUDED.day",
    )
    with (
        mock.patch.object(lapsing, "_LAPSE", statement),
        mock.patch.object(lapsing.ledger, "need_balance", lambda *arguments: None),
    ):
        yield


def _lapse_too_early(database: Database) -> AbstractContextManager[None]:
    return _patched(
        mock.patch.object(lapsing, "natural_day", lambda now: date.max),
        mock.patch.object(paying, "natural_day", lambda now: date.max),
    )


@contextmanager
def _payment_forgets(database: Database) -> Iterator[None]:
    text = read_sql(Path(ROOT, "core", "payoffice", "sql", "pay.sql"))
    condition = "IF v_known.id IS NOT NULL THEN"
    assert text.count(condition) == 1
    _owner(database, text.replace(condition, "IF false THEN"))
    with mock.patch.object(payments, "replay", lambda *arguments: None):
        yield


def _claim_remembered(database: Database) -> AbstractContextManager[None]:
    read, claims = finding.current_claim, {}

    def remembered(payable: Any) -> Any:
        return claims.setdefault(payable.uuid, read(payable))

    return _patched(mock.patch.object(finding, "current_claim", remembered))


# --- Drawing --------------------------------------------------------------------------------------


def _draw_unlocked(database: Database) -> AbstractContextManager[None]:
    order = method.order

    def slow(*arguments: Any) -> Any:
        computed = order(*arguments)
        time.sleep(_LATER_S)
        return computed

    def unlocked(ident: Any, *, certified: bool = False) -> Draw:
        return Draw.objects.get(uuid=ident)

    return _patched(
        mock.patch.object(method, "order", slow),
        mock.patch.object(conducting, "draw_held", unlocked),
    )


def _order_too_early(database: Database) -> AbstractContextManager[None]:
    read = drawing.DrawingGround.read

    def early(ground: drawing.DrawingGround) -> Answer:
        answer = read(ground)
        commitment = Commitment.objects.filter(draw=ground.draw).first()
        if commitment is None or answer.order:
            return answer
        field = DrawField.objects.get(draw=ground.draw)
        secret = conducting.secret_of(ground.draw, commitment)
        order = method.order(secret, bytes(commitment.digest), "", field.entries, field.places)
        return Answer("read", {**answer.facts, "order": tuple(map(str, order))})

    return _patched(mock.patch.object(drawing.DrawingGround, "read", early))


# --- All ------------------------------------------------------------------------------------------

FAULTS = (
    Fault(
        "contest-lock", selling, "a sale without the contest's lock", _sale_without(Lock.CONTEST)
    ),
    Fault(
        "request-lock", selling, "a sale without its request's lock", _sale_without(Lock.REQUEST)
    ),
    Fault(
        "closing-unchecked", selling, "a sale that does not look at the clock", _sale_after_closing
    ),
    Fault("new-request", selling, "a terminal that repeats a sale under a new UUID", _new_request),
    Fault(
        "sale-early",
        selling,
        "a sale answered before its commit",
        lambda database: _answered_early(selling.SellingGround, "sell"),
    ),
    Fault(
        "clock-first",
        selling,
        "a closing that reads the clock before it has the lock",
        _closing_clock_first,
    ),
    Fault("annul-lock", selling, "an annulment without a lock", _annulled_unlocked),
    Fault("other-ticket", selling, "a repeated sale answered by another ticket", _other_ticket),
    Fault("seal-lock", selling, "a seal without its lock", _sealed_unlocked),
    Fault("claims-key", paying, "claims without their unique key", _claims_key_dropped),
    Fault("lapse-all", paying, "a lapse that takes what is paid, too", _lapse_takes_all),
    Fault("lapse-early", paying, "a lapse that does not wait for the last day", _lapse_too_early),
    Fault("payment-forgets", paying, "a payment that does not know its request", _payment_forgets),
    Fault(
        "payment-early",
        paying,
        "a payment answered before its commit",
        lambda database: _answered_early(paying.PayingGround, "pay"),
    ),
    Fault("claim-kept", paying, "a claim's state remembered by the process", _claim_remembered),
    Fault("draw-lock", drawing, "a draw without its lock", _draw_unlocked),
    Fault("order-early", drawing, "an order told before the witness acts", _order_too_early),
)
