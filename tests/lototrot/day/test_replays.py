"""Replay single events: their transfers and their changes of state."""

import uuid

import pytest

from core.ledger import services as ledger
from lototrot import accounts
from lototrot.day.replays import REPLAYS
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.postings import EndMove, Source
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db


def test_a_replayed_sale_and_its_void_move_the_price_there_and_back() -> None:
    contest, point = rounds.contest(rounds.rules(), [(1, 2)] * 7), factories.point()
    takings = ledger.liability(contest.takings_account.code)
    (ticket,) = rounds.sell(contest, point, [(1,) * 7])
    before = ledger.balance_cents(takings)
    REPLAYS["lototrot.sale"](ticket, {})
    assert ledger.balance_cents(takings) == before + ticket.amount_cents
    void = Void.objects.create(
        ticket=ticket,
        reason=Void.Reason.ERROR,
        note="Mistyped",
        voided_at=ticket.sold_at,
        operator=point.operator,
    )
    REPLAYS["lototrot.void"](void, {})
    assert ledger.balance_cents(takings) == before
    assert ledger.balance_cents(accounts.refunds_due(contest.pk)) == 0


@pytest.mark.article("14.III.4")
def test_a_replayed_closing_closes_the_contest() -> None:
    contest = rounds.contest(rounds.rules(), [(1, 2)] * 7)
    at = factories.time_pass(minutes=1)
    data = {"contest": contest.pk, "at": at.isoformat(), "cause": Contest.Cause.START}
    REPLAYS["lototrot.closed"](None, data)
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == (Contest.State.CLOSED, at)
    assert contest.code_secret is None


@pytest.mark.article("14.III.9.5")
def test_a_replayed_end_of_a_bet_type_moves_what_had_accumulated() -> None:
    code = factories.bet_type("five-races").code
    rounds.fund(accounts.jackpot(code), 500)
    move = EndMove(Source.JACKPOT, None, "Federació", "", 500)
    end = GameEnd.objects.create(
        uuid=uuid.uuid4(),
        bet_type_code=code,
        decision="Resolució 3",
        moves=[move.to_document()],
        cents=500,
        ended_at=factories.time_pass(minutes=1),
        proposal=factories.proposal(
            "lototrot.game_end",
            content={
                "bet_type": code,
                "decision": "Resolució 3",
                "destinations": [move.to_document()],
            },
        ),
    )
    REPLAYS["lototrot.ended"](end, {})
    assert ledger.balance_cents(accounts.jackpot(code)) == 0
    assert ledger.balance_cents(accounts.sent_on(code, "Federació")) == 500
