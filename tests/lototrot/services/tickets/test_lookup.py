"""Look a presented ticket up, from its sale to the end of the period of payment."""

import secrets
import uuid
from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from core.kernel import codes
from core.kernel.days import day_bounds
from core.payoffice.judging import DocumentState
from core.payoffice.services.checking import Checked, document_check, holder_check
from core.premises.requests import new_uuid
from core.staff import two_persons
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Void
from lototrot.services.contest.closing import contest_close
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from lototrot.services.tickets.lookup import TicketNotFound, ticket_by_code
from lototrot.services.tickets.selling import SaleRequest, sold_again, ticket_sell
from tests.support import factories, rounds
from tests.support.factories import Point
from tests.support.lototrot import breaching

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("noon"),
    pytest.mark.article("14.III.10.3", "14.III.10.4"),
]

RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2


@pytest.fixture
def contest(noon: None) -> Contest:
    return rounds.contest(RULES, [(1, 2, 3)] * 2)


def sell(contest: Contest, place: Point, *numbers: tuple[int, ...]) -> str:
    """Sell a ticket; its code as printed."""
    factories.acknowledge(contest, place)
    bets = len(numbers[0]) * len(numbers[1])
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, numbers, price, bets * price)
    code = ticket_sell(credentials=place.credentials, request=request).code
    assert code is not None
    return code.grouped


def status(code: str) -> Checked:
    return holder_check(code=code)


def stage(code: str) -> str:
    """Of a ticket about which nothing is decided: how far its contest has come."""
    state = status(code)
    assert (state.state, state.owed_cents, state.rule) == (DocumentState.SOLD, 0, None)
    return state.payable.stage


def order(contest: Contest) -> None:
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)


# --- States ---------------------------------------------------------------------------------------


@pytest.mark.article("14.III.8.1", "14.III.8.2", "14.III.10.2")
def test_a_winning_ticket_through_all_its_states(contest: Contest) -> None:
    place = factories.point()
    won, lost = sell(contest, place, (1, 2), (1,)), sell(contest, place, (2,), (3,))
    assert stage(won) == stage(lost) == "on_sale"
    rounds.run(contest, FACTS)
    assert stage(won) == "awaiting_results"
    contest_settle(contest_id=contest.pk)
    assert stage(won) == "awaiting_order"
    order(contest)
    state = status(won)
    assert state.state is DocumentState.PRIZE
    assert state.owed_cents > 0
    won_bets = state.details()["winning_bets"]
    assert won_bets[0] == {"hits": 2, "bets": 1}
    assert sum(each["bets"] for each in won_bets) <= 2
    days = (state.payable.first_pay_day, state.payable.last_claim_day)
    assert days == (date(2030, 3, 3), date(2030, 4, 1))
    assert (status(lost).state, status(lost).owed_cents) == (DocumentState.NO_PRIZE, 0)


@pytest.mark.article("14.III.8.1", "14.III.10.2")
@pytest.mark.parametrize(
    ("day", "second", "refusal"),
    [
        (date(2030, 3, 2), -1, "paid_too_early"),
        (date(2030, 3, 3), 0, ""),
        (date(2030, 4, 1), -1, ""),
        (date(2030, 4, 2), 0, "claim_lapsed"),
    ],
    ids=["end of the day itself", "first midnight", "last second", "midnight after"],
)
def test_a_prize_is_payable_by_natural_days_of_madrid(
    contest: Contest, day: date, second: int, refusal: str
) -> None:
    """Across the change of the clocks on 31 March: days, not hours."""
    code = sell(contest, factories.point(), (1,), (1,))
    rounds.run(contest, FACTS)
    contest_settle(contest_id=contest.pk)
    order(contest)
    start, end = day_bounds(day)
    factories.time_to(start + timedelta(seconds=0.1) if second == 0 else end - timedelta(seconds=5))
    assert document_check(at=factories.point().actor, code=code).refusal == refusal


def test_the_clock_alone_ends_the_sale(contest: Contest) -> None:
    code = sell(contest, factories.point(), (1,), (1,))
    factories.time_to(contest.scheduled_close_at)
    assert stage(code) == "awaiting_results"


@pytest.mark.article("14.III.8.2")
def test_a_settlement_undone_before_the_order_shows_nothing(contest: Contest) -> None:
    code = sell(contest, factories.point(), (1,), (1,))
    rounds.run(contest, FACTS)
    contest_settle(contest_id=contest.pk)
    settlement_reverse(contest_id=contest.pk, by=factories.two_organisers()[0])
    assert stage(code) == "awaiting_results"


@pytest.mark.parametrize(
    ("reason", "state"), [("error", DocumentState.VOID), ("breach", DocumentState.REFUND_DUE)]
)
def test_voided_tickets(contest: Contest, reason: str, state: DocumentState) -> None:
    place = factories.point()
    code = sell(contest, place, (1,), (1,))
    ticket = Ticket.objects.get()
    if reason == "breach":
        factories.contest_closed(contest)
        breaching.voided([ticket])
    else:
        Void.objects.create(
            ticket=ticket, reason=reason, voided_at=rounds.NOON, operator=place.operator
        )
    assert status(code).state == state
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    assert status(code).state == state


# --- Codes ----------------------------------------------------------------------------------------


def test_a_code_is_read_however_it_is_typed(contest: Contest) -> None:
    code = sell(contest, factories.point(), (1,), (1,))
    ticket = Ticket.objects.get()
    typed = [code, code.lower(), code.replace("-", ""), code.replace("-", " "), f" {code}\n"]
    typed.append(code.replace("0", "O").replace("1", "I"))
    assert {ticket_by_code(each) for each in typed} == {ticket}


def wrong_codes(code: str) -> dict[type[Exception], str]:
    text = code.replace("-", "")
    swapped = next(
        text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        for at in range(len(text) - 1)
        if text[at] != text[at + 1]
    )
    voucher = codes.issue(b"X", uuid.uuid4(), secrets.token_bytes(32), settings.CODE_KEYS)
    return {
        codes.CodeMalformed: text[:-1],
        codes.CodeMistyped: swapped,
        codes.CodeForged: voucher.text,
    }


@pytest.mark.parametrize("error", [codes.CodeMalformed, codes.CodeMistyped, codes.CodeForged])
def test_a_wrong_code_costs_no_query(
    contest: Contest, error: type[Exception], django_assert_num_queries: Any
) -> None:
    wrong = wrong_codes(sell(contest, factories.point(), (1,), (1,)))[error]
    with django_assert_num_queries(0), pytest.raises(error) as refusal:
        holder_check(code=wrong)
    assert wrong not in str(refusal.value)
    assert wrong not in repr(refusal.value.__dict__)


def test_an_authentic_code_of_no_ticket_is_not_found() -> None:
    code = codes.issue(codes.TICKET, uuid.uuid4(), secrets.token_bytes(32), settings.CODE_KEYS)
    with pytest.raises(TicketNotFound) as refusal:
        ticket_by_code(code.text)
    assert code.text not in repr(refusal.value.__dict__)


def test_nothing_in_the_database_is_a_code(contest: Contest) -> None:
    code = sell(contest, factories.point(), (1,), (1,)).replace("-", "")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            " AND table_type = 'BASE TABLE'"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s', [f"%{code}%"]
            )
            assert cursor.fetchone() == (0,), table


def test_codes_of_a_former_key_are_still_read(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = sell(contest, factories.point(), (1,), (1,))
    ticket = Ticket.objects.get()
    old = settings.CODE_KEYS
    fresh = next(each for each in codes.ALPHABET if each not in old.ring)
    ring = {**old.ring, fresh: (secrets.token_bytes(32), secrets.token_bytes(32))}
    monkeypatch.setattr(settings, "CODE_KEYS", codes.CodeKeys(ring, fresh))
    assert ticket_by_code(code) == ticket
    again = sold_again(ticket, by=ticket.operator_id, road=None).code
    assert again is not None
    assert again.grouped == code
