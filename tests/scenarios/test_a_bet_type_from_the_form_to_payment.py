"""Bet types prepared on the form, authorised by two persons, sold and paid the same day [A19].

One meeting of eight races carries three of them: seven races with 7, 6 and 5 right, eight with 8, 7
and 6, and six with 6, 5 and 4. No code knows any of them.
"""

from datetime import date, timedelta
from typing import Any

import pytest

from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.engine.races import Race as Facts
from lototrot.models.contest import BetType, Contest
from lototrot.selectors.board import board_document
from tests.support import factories, rounds
from tests.support.admin_desk import Desk
from tests.support.api import terminal_api
from tests.support.lototrot.bet_type_form import SIX, V75, V86, typed
from tests.support.lototrot.meeting_by_api import (
    Staff,
    at,
    imported,
    ok,
    ordered,
    programme,
    settled,
    sold,
)

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.7")]
DAY = date(2030, 6, 7)
STARTS = [at(DAY, 16) + timedelta(minutes=30 * number) for number in range(8)]


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(DAY, 10))
    return Staff()


def authorised(desk: Desk, wanted: dict[str, Any]) -> BetType:
    """Fill the form in, and confirm its proposal as a second person."""
    desk.do(BetType, "prepare", **typed(wanted))
    proposal = Proposal.objects.get(kind="lototrot.bet_type", decision=None)
    Desk(Role.ORGANISER).do(proposal, "confirm")
    return BetType.objects.get(proposal=proposal)


def on_sale(staff: Staff, meeting: Any, bet_type: BetType, first: int) -> Any:
    """Prepare a contest of the bet type from a race on, publish its own rules, and open it."""
    races = meeting["races"][first - 1 : first - 1 + bet_type.document["legs"]]
    terms = {
        "meeting": meeting["id"],
        "bet_type": {"code": bet_type.code, "version": bet_type.version},
        "ticket_model": {"code": factories.ticket_model().code, "version": 1},
        "races": [race["id"] for race in races],
        "price_cents": bet_type.price_cents,
        "scheduled_close_at": races[0]["scheduled_start_at"],
    }
    contest = ok(staff.organiser.post("lototrot/contests", terms))
    path = f"lototrot/contests/{contest['id']}"
    ok(staff.organiser.post(f"{path}/publication", {"rules": bet_type.rules}))
    ok(staff.confirmed(staff.organiser.post(f"{path}/opening")))
    return contest


def run(contests: list[Contest]) -> None:
    """Close the contests, and have number 1 win every race but the last one, which 2 wins."""
    rounds.run(contests[0], [Facts((1, 2, 3, 4), winners=frozenset({1}))] * 7)
    for contest in contests[1:]:
        factories.contest_closed(contest)
    factories.classified(factories.races_of(contests[1])[-1], [2])


@pytest.mark.article("14.III.5.1", "14.III.9.2", "14.III.10.2")
def test_three_bet_types_of_one_day(staff: Staff) -> None:
    desk = Desk(Role.ORGANISER)
    meeting = imported(staff, programme(STARTS, DAY))
    types = [authorised(desk, wanted) for wanted in (V75, V86, SIX)]
    starts = (1, 1, 3)
    day = [on_sale(staff, meeting, *pair) for pair in zip(types, starts, strict=True)]
    point = factories.point()
    slips = [
        ok(sold(point, contest, [1] * kind.document["legs"]))
        for contest, kind in zip(day, types, strict=True)
    ]
    assert [len(slip["races"]) for slip in slips] == [7, 8, 6]
    names = {
        contest_on_board["name"]: contest_on_board["categories"]
        for contest_on_board in board_document()["contests"]
    }
    assert names == {"V75": [7, 6, 5], "V86": [8, 7, 6], "Six": [6, 5, 4]}

    factories.time_to(at(DAY, 20))
    run([Contest.objects.get(pk=contest["id"]) for contest in day])
    figures = [settled(staff, contest)["figures"] for contest in day]
    # 40 % of 65 cents with all right; 20 % and 25 % of them with one wrong.
    assert [sheet["prize_each"] for sheet in figures] == [{"7": 26}, {"7": 13}, {"5": 16}]
    factories.time_to(at(DAY + timedelta(days=1), 9))
    for contest in day:
        ordered(staff, contest)
    till = terminal_api(point)
    for slip, cents in zip(slips, (26, 13, 16), strict=True):
        checked = ok(till.post("claims/check", {"code": slip["code"]}))
        assert (checked["state"], checked["amount_cents"]) == ("prize", cents)
