"""Run a race day through the public API: sell, start, classify, settle, order."""

from collections.abc import Sequence
from typing import Any

from core.database import clock
from core.premises.requests import new_uuid
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from tests.support import factories
from tests.support.api import Api, terminal_api
from tests.support.factories import Point


class Staff:
    """Two persons of each role that a race day needs. Each use signs them on, however late."""

    def __init__(self) -> None:
        self._users = {
            role: [User.objects.get(pk=factories.staff(role).user_id) for _ in range(2)]
            for role in (Role.STEWARDS, Role.ORGANISER)
        }

    @property
    def stewards(self) -> tuple[Api, Api]:
        one, two = map(api_of, self._users[Role.STEWARDS])
        return one, two

    @property
    def organisers(self) -> tuple[Api, Api]:
        one, two = map(api_of, self._users[Role.ORGANISER])
        return one, two


def api_of(user: User) -> Api:
    """Return a client for a member of staff, signed on now."""
    return Api(Authorization=f"Bearer {session_start(user=user, verified=True)[1]}")


def sell(contest: Contest, at: Point, races: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Sell a ticket at a terminal that confirms its print, and return its card."""
    card = sold(contest, at, races)
    printed = terminal_api(at).post(f"lototrot/tickets/{card['uuid']}/print-confirmation")
    assert printed.status_code == 200, printed.content
    return card


def sold(contest: Contest, at: Point, races: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Sell a ticket whose print is not confirmed, and return its card."""
    answer = terminal_api(at).post("lototrot/tickets", body_of(contest, races))
    assert answer.status_code == 201, answer.content
    card: dict[str, Any] = answer.json()
    return card


def body_of(contest: Contest, races: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return the request of a sale."""
    bets = 1
    for race in races:
        bets *= len(race)
    return {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "amount_cents": bets * contest.price_cents,
        "races": [[*race] for race in races],
    }


def confirmed(proposal: Any, by: Api) -> Any:
    """Confirm a proposed act as the second person, and return the answer."""
    assert proposal.status_code == 201, proposal.content
    return by.post(f"proposals/{proposal.json()['proposal']}/confirmation")


def carried_out(proposal: Any, by: Api) -> None:
    answer = confirmed(proposal, by)
    assert answer.status_code == 200, answer.content


def classify(staff: Staff, race: Race, winner: int) -> None:
    """Enter and confirm a classification with one winner, announced now."""
    one, two = staff.stewards
    numbers = race.runners.order_by("number").values_list("number", flat=True)
    body = {
        "runners": [
            {"number": number, "outcome": "winner" if number == winner else "started"}
            for number in numbers
        ],
        "announced_text": f"Guanyador: {winner}",
        "announced_at": clock.now().isoformat(),
        "author": "Comissaris",
    }
    carried_out(one.post(f"lototrot/races/{race.pk}/classification", body), two)


def settle(staff: Staff, contest: Contest) -> dict[str, Any]:
    """Settle the contest as a worker does, and return the settlement in force."""
    tasks.end_prints(contest.pk)
    tasks.settle(contest.pk)
    answer = staff.organisers[0].get(f"lototrot/contests/{contest.pk}/settlement")
    assert answer.status_code == 200, answer.content
    settlement: dict[str, Any] = answer.json()
    return settlement


def order(staff: Staff, contest: Contest) -> None:
    """Propose and give the payment order."""
    one, two = staff.organisers
    carried_out(one.post(f"lototrot/contests/{contest.pk}/payment-order"), two)


def display(contest: Contest, *points: Point) -> None:
    """Declare the programme on display at each terminal."""
    for point in points:
        factories.acknowledge(contest, point)
