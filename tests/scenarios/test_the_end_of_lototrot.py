"""The end of Lototrot: jackpot and reserve go where the authority's decision says [A17, A21]."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.auditing import audit_contests
from tests.support import factories, rounds
from tests.support.api import refused, staff_api
from tests.support.lototrot.meeting_by_api import Staff, ok, terms

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.9.5", "14.III.9.8")]
CODE = "two-legs"


@pytest.fixture
def staff() -> Staff:
    factories.time_to(rounds.NOON)
    return Staff()


def last_meeting() -> Contest:
    """Return the ordered contest of a chain that has a jackpot and prizes to claim."""
    return rounds.ordered(factories.point(), tickets=((2, 2), (2, 1), (1, 2)))


def lapsed(contest: Contest) -> None:
    order = PaymentOrder.objects.get(contest=contest)
    rounds.later((order.last_claim_day - natural_day(rounds.NOON)).days + 1)
    lapse(contest.pk, natural_day(rounds.NOON.replace(year=2031)))


def held() -> dict[str, int]:
    """Return what the chain holds, by source."""
    prefix = f"lototrot:{CODE}:carry_over:"
    return {
        "jackpot": ledger.balance_cents(accounts.jackpot(CODE)),
        "reserve": ledger.balance_cents(accounts.reserve(CODE)),
        "unclaimed": sum(each.cents for each in ledger.balances(prefix=prefix)),
    }


def decision(**cents: int) -> dict[str, Any]:
    destinations = [
        {"source": source, "cents": amount, "recipient": "Federació Balear de Trot"}
        for source, amount in cents.items()
        if amount
    ]
    return {"bet_type": CODE, "decision": "Resolució 3/2031", "destinations": destinations}


def test_what_accumulated_goes_where_the_decision_says(staff: Staff) -> None:
    contest = last_meeting()
    before = held()
    assert before["jackpot"] > 0
    body = decision(**before)
    refused(staff.organiser.post("lototrot/ends", body), 409, "game_not_over")
    lapsed(contest)
    amounts = held()
    assert (amounts["jackpot"], amounts["unclaimed"] > 0) == (before["jackpot"], True)
    total = sum(amounts.values())

    short = decision(**amounts | {"jackpot": amounts["jackpot"] - 1})
    problem = refused(staff.organiser.post("lototrot/ends", short), 422, "end_not_whole")
    assert problem["data"]["held_cents"] == amounts
    nowhere = decision(**amounts)
    nowhere["destinations"][0] |= {"recipient": ""}
    refused(staff.organiser.post("lototrot/ends", nowhere), 422, "destination_unknown")
    unknown = decision(**amounts)
    unknown["destinations"][0] |= {"recipient": "", "bet_type": "none"}
    refused(staff.organiser.post("lototrot/ends", unknown), 422, "destination_unknown")
    refused(
        staff.organiser.post("lototrot/ends", decision() | {"bet_type": "x"}),
        404,
        "bet_type_unknown",
    )

    proposal = staff.organiser.post("lototrot/ends", decision(**amounts))
    ident = proposal.json()["proposal"]
    refused(staff.organiser.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    assert held() == amounts
    for _ in range(2):
        ok(staff.second.post(f"proposals/{ident}/confirmation"))
    assert held() == {"jackpot": 0, "reserve": 0, "unclaimed": 0}
    recipient = accounts.sent_on(CODE, "Federació Balear de Trot")
    assert ledger.balance_cents(recipient) == total
    (end,) = ok(staff.organiser.get("lototrot/ends"))["items"]
    assert (end["cents"], end["decision"]) == (total, "Resolució 3/2031")
    assert audit_contests().findings == []
    rounds.books_agree()


def test_the_money_may_go_to_another_bet_type(staff: Staff) -> None:
    contest = last_meeting()
    lapsed(contest)
    factories.bet_type("five-races")
    amounts = held()
    body = decision(**amounts)
    for destination in body["destinations"]:
        destination |= {"recipient": "", "bet_type": "five-races"}
    ok(staff.confirmed(staff.organiser.post("lototrot/ends", body)))
    assert ledger.balance_cents(accounts.jackpot("five-races")) == (
        amounts["jackpot"] + amounts["unclaimed"]
    )
    assert ledger.balance_cents(accounts.reserve("five-races")) == amounts["reserve"]
    rounds.books_agree()


def test_afterwards_there_is_no_other_contest_and_no_other_end(staff: Staff) -> None:
    contest = last_meeting()
    lapsed(contest)
    ok(staff.confirmed(staff.organiser.post("lototrot/ends", decision(**held()))))
    again = staff.organiser.post("lototrot/ends", decision())
    refused(again, 409, "game_ended")
    meeting = factories.meeting(races=2)
    answer = ok(staff.organiser.get(f"lototrot/meetings/{meeting.pk}"))
    body = terms(answer, bet_type={"code": CODE, "version": contest.bet_type.version})
    refused(staff.organiser.post("lototrot/contests", body), 409, "game_ended")
    with pytest.raises(IntegrityError, match="has ended"), transaction.atomic():
        factories.contest(meeting, rules=contest.bet_type)
    assert GameEnd.objects.count() == 1


def test_one_person_or_another_role_ends_nothing(staff: Staff) -> None:
    contest = last_meeting()
    lapsed(contest)
    for role in sorted(set(Role) - {Role.ORGANISER}):
        refused(staff_api(role).post("lototrot/ends", decision(**held())), 403, "power_missing")
    amounts = held()
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        GameEnd.objects.create(
            uuid="5b0c7a52-0f5e-4f2e-9a57-3d1f0c6f2b11",
            bet_type_code=CODE,
            decision="Alone",
            moves=[],
            cents=0,
            ended_at=rounds.NOON,
            proposal=factories.proposal("other"),
        )
    assert held() == amounts
