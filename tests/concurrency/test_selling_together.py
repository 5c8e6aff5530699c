"""Sales that wait at the same time are registered by one statement, each as if it were alone."""

import base64
import json
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError

from core.database import together as gathering
from core.database.locks import Lock
from core.journal.models import Act
from core.journal.rules import broken, rules
from core.ledger.models import Transfer
from core.premises.access import OperatorSessionUnknown
from core.premises.requests import UuidReused, new_uuid
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.tickets.selling import SALES, SaleRequest, Sold, ticket_sell
from tests.support import factories
from tests.support.concurrency.gathering import begun_in_order, counted_statements
from tests.support.concurrency.sales import (
    PATIENCE_S,
    apart,
    eventually,
    install_sale,
    sell,
    selling_point,
    stopped_sale,
    together,
)
from tests.support.databases import Database
from tests.support.factories import Point

EACH = "CALL lototrot_sell_each(%s)"


def points(contest: Contest, count: int) -> list[Point]:
    """Terminals, each at premises of its own, that may sell the contest."""
    points_of_sale = [factories.point() for _ in range(count)]
    for place in points_of_sale:
        factories.acknowledge(contest, place)
    return points_of_sale


def double(place: Point, contest: Contest, ident: uuid.UUID) -> Sold:
    """Sell two bets."""
    races = ((1, 2), *[(1,)] * (len(contest.offered_masks) - 1))
    request = SaleRequest(ident, contest.pk, races, contest.price_cents, 2 * contest.price_cents)
    return ticket_sell(credentials=place.credentials, request=request)


def gathered(
    database: Database,
    first: Callable[[], Any],
    *acts: Callable[[], Any],
    when_all_wait: Callable[[], None] = lambda: None,
) -> list[Any]:
    """Hold one sale up before it writes, and begin the others, which wait for it in order.

    Return what all gave or raised once it went on.
    """
    with stopped_sale(database, first) as stopped:
        begun = begun_in_order(SALES._sell._waiting, acts)
        when_all_wait()
        return [stopped.commit(), *(each.result(PATIENCE_S) for each in begun)]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of sales in each statement; sales wait for each other as long as it takes."""
    return counted_statements(monkeypatch)


def test_each_has_its_own_answer_act_and_transaction(
    own_database: Database, statements: list[int]
) -> None:
    """Among them one that is refused, one UUID twice, and one UUID of two terminals."""
    contest, place = selling_point()
    others = points(contest, 3)
    twice, signed_off = new_uuid(), factories.point()
    stranger = factories.point()
    answers = gathered(
        own_database,
        lambda: sell(place, contest, new_uuid()),
        lambda: sell(others[0], contest, twice),
        lambda: ticket_sell(
            credentials=type(stranger.credentials)(
                stranger.credentials.token_digest, signed_off.credentials.session_digest
            ),
            request=SaleRequest(
                new_uuid(),
                contest.pk,
                ((1,),) * 7,
                contest.price_cents,
                contest.price_cents,
            ),
        ),
        lambda: sell(others[1], contest, new_uuid()),
        lambda: sell(others[0], contest, twice),
        lambda: sell(others[2], contest, twice),
        lambda: sell(others[2], contest, new_uuid()),
    )
    assert statements == [6]
    _, sold, refused, second, again, reused, last = answers
    assert isinstance(refused, OperatorSessionUnknown) and isinstance(reused, UuidReused)
    assert not sold.replayed and again.replayed and again.code == sold.code
    tickets = {ticket.uuid: ticket for ticket in Ticket.objects.all()}
    assert tickets.keys() == {each.uuid for each in (answers[0], sold, second, last)}
    acts = {act.request_id: act for act in Act.objects.filter(source__name="lototrot.sale")}
    assert len({act.pk for act in acts.values()}) == len(tickets) == Transfer.objects.count()
    for ident, ticket in tickets.items():
        act = acts[str(ident)]
        assert (act.terminal_id, act.operator_id) == (ticket.terminal_id, ticket.operator_id)
    of_sales = [rule for rule in rules() if rule.table in ("lototrot_ticket", "ledger_transfer")]
    assert of_sales and not [row for rule in of_sales for row in broken(rule)]


def test_one_that_raises_harms_no_other(own_database: Database, statements: list[int]) -> None:
    contest, place = selling_point()
    others = points(contest, 4)
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("ALTER TABLE lototrot_ticket ADD CONSTRAINT none_of_two CHECK (bets <> 2)")
    answers = gathered(
        own_database,
        lambda: sell(place, contest, new_uuid()),
        lambda: sell(others[0], contest, new_uuid()),
        lambda: double(others[1], contest, new_uuid()),
        lambda: sell(others[2], contest, new_uuid()),
        lambda: sell(others[3], contest, new_uuid()),
    )
    assert statements == [4]
    assert [type(each) for each in answers[:2] + answers[3:]] == [Sold] * 4
    assert isinstance(answers[2], DatabaseError) and "none_of_two" in str(answers[2])
    assert not any(each.replayed for each in answers if isinstance(each, Sold))
    assert Ticket.objects.count() == Transfer.objects.count() == 4


def test_one_that_waits_for_a_lock_does_not_hold_the_others_up(
    own_database: Database, statements: list[int]
) -> None:
    contest, place = selling_point()
    others = points(contest, 3)
    held = others[1].premises.pk
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("SELECT pg_advisory_xact_lock(%s, %s)", [int(Lock.CREDIT), held])
        begun = apart(
            lambda: gathered(
                own_database,
                lambda: sell(place, contest, new_uuid()),
                *[lambda one=one: sell(one, contest, new_uuid()) for one in others],
            )
        )
        eventually(lambda: Ticket.objects.count() == 3)
        assert not begun.done()
        owner.rollback()
        answers = begun.result(PATIENCE_S)
    assert statements == [3]
    assert [type(each) for each in answers] == [Sold] * 4


def test_a_connection_lost_in_the_middle_leaves_each_sale_registered_once(
    own_database: Database, statements: list[int]
) -> None:
    """One of four, in any place, stops before it writes; the session ends there."""
    contest, place = selling_point()
    others = points(contest, 4)
    gate = (98, 0)
    stopped = "SELECT count(*) FROM pg_locks WHERE NOT granted AND (classid, objid) = (%s, %s)"
    install = f"pg_advisory_xact_lock_shared({gate[0]}, CASE WHEN p_bets = 2 THEN 0 ELSE 1 END)"
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        owner.execute("SELECT pg_advisory_lock(%s, %s)", gate)
        begun = apart(
            lambda: gathered(
                own_database,
                lambda: sell(place, contest, new_uuid()),
                lambda: sell(others[0], contest, new_uuid()),
                lambda: double(others[1], contest, new_uuid()),
                lambda: sell(others[2], contest, new_uuid()),
                lambda: sell(others[3], contest, new_uuid()),
                when_all_wait=lambda: install_sale(own_database, before_writing=install),
            )
        )
        eventually(lambda: owner.execute(stopped, gate).fetchone() == (1,))
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL %'"
            " AND datname = current_database()"
        )
        owner.execute("SELECT pg_advisory_unlock_all()")
        answers = begun.result(PATIENCE_S)
    assert statements == [4]
    assert [type(each) for each in answers] == [Sold] * 5
    assert Ticket.objects.count() == Transfer.objects.count() == 5


def test_statements_over_the_same_premises_in_opposite_order_do_not_deadlock(
    own_database: Database,
) -> None:
    contest, _ = selling_point()
    places = points(contest, 4)

    def content(order: list[Point]) -> str:
        return json.dumps(
            [
                {
                    "token": _base64(place.credentials.token_digest),
                    "session": _base64(place.credentials.session_digest),
                    "contest": contest.pk,
                    "uuid": str(new_uuid()),
                    "request": "",
                    "legs": [1] * 7,
                    "quick_legs": 0,
                    "bets": 1,
                    "amount": contest.price_cents,
                    "code": _base64(uuid.uuid4().bytes * 2),
                    "commitment": _base64(bytes(32)),
                }
                for place in order
            ]
        )

    def statements(order: list[Point]) -> list[str]:
        answers = [gathering.run_prepared_once(EACH, [content(order)])[0] for _ in range(10)]
        return [outcome for text in answers for outcome, *_ in json.loads(text)]

    orders = [places, places[::-1]] * 2
    done = together(*[lambda order=order: statements(order) for order in orders])
    # On a busy machine a sale may wait too long for its premises and end its statement.
    answered = [outcome for outcomes in done for outcome in outcomes]
    assert set(answered) == {"sold"}
    assert Ticket.objects.count() == len(answered)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
