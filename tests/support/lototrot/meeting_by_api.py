"""Take a meeting through the public API: import, contest, sale, result, settlement, order."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from core.database import clock
from core.premises.requests import new_uuid
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from lototrot.models.contest import Contest
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories
from tests.support.api import Api, terminal_api
from tests.support.factories import Point

MADRID = ZoneInfo("Europe/Madrid")
RULES = {"ca": "Reglament.", "es": "Reglamento.", "en": "Rules."}
NUMBERS = range(1, 5)
_serial = itertools.count(1)


def at(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """Return an instant by the clocks of Madrid; hours from 24 on are of the next morning."""
    following = day + timedelta(days=hour // 24)
    return datetime(
        following.year, following.month, following.day, hour % 24, minute, second, tzinfo=MADRID
    )


class Staff:
    """The people of a race day. Each signs on again for each request, as sessions expire."""

    def __init__(self) -> None:
        roles = (Role.ORGANISER, Role.ORGANISER, Role.STEWARDS, Role.STEWARDS)
        self._users = [User.objects.get(pk=factories.staff(role).user_id) for role in roles]

    @property
    def organiser(self) -> Api:
        return self._signed_on(0)

    @property
    def second(self) -> Api:
        return self._signed_on(1)

    @property
    def steward(self) -> Api:
        return self._signed_on(2)

    @property
    def second_steward(self) -> Api:
        return self._signed_on(3)

    def _signed_on(self, person: int) -> Api:
        _session, token = session_start(user=self._users[person], verified=True)
        return Api(Authorization=f"Bearer {token}")

    def confirmed(self, proposal: Any, by: Api | None = None) -> Any:
        """Confirm a proposal as the second organiser, or as another person. Return the answer."""
        assert proposal.status_code in (201, 202), proposal.content
        ident = proposal.json()["proposal"]
        return (by or self.second).post(f"proposals/{ident}/confirmation")


def ok(response: Any) -> Any:
    """Return the body of an answer that must not be a refusal."""
    assert response.status_code < 300, response.content
    return response.json()


def programme(starts: Sequence[datetime], day: date, **meeting: Any) -> dict[str, Any]:
    """Return an official programme at one racecourse, with four runners in each race."""
    return {
        "format": "lototrot-programme-1",
        "meeting": {"day": day.isoformat(), "name": "Reunió", "reference": f"P-{next(_serial)}"}
        | meeting,
        "racecourses": [
            {
                "code": "SONPARDO",
                "name": "Hipòdrom de Son Pardo",
                "timezone": "Europe/Madrid",
                "municipality": "Palma",
                "country": "ES",
            }
        ],
        "races": [
            {
                "racecourse": "SONPARDO",
                "number": number,
                "name": f"Premi {number}",
                "scheduled_start": start.isoformat(timespec="minutes"),
                "runners": [{"number": n, "name": f"Cavall {number}.{n}"} for n in NUMBERS],
            }
            for number, start in enumerate(starts, start=1)
        ],
    }


def imported(staff: Staff, document: Mapping[str, Any]) -> Any:
    """Import a programme and record its approval. Return the meeting with its races."""
    meeting = ok(staff.organiser.post("lototrot/programmes", document))
    path = f"lototrot/meetings/{meeting['id']}"
    approval = {
        "approved_by": "Federació Balear de Trot",
        "approved_at": clock.now().isoformat(),
        "reference": "FBT 1",
    }
    ok(staff.organiser.post(f"{path}/approval", approval))
    none = {"types": [], "none": True, "source": "Hipòdrom", "dated_on": "2020-01-02"}
    ok(staff.organiser.post(f"{path}/internal-bets", none))
    return ok(staff.organiser.get(path))


def terms(meeting: Any, **changes: Any) -> dict[str, Any]:
    """Return the body that prepares a contest on all races of a meeting."""
    rules, model = factories.bet_type(), factories.ticket_model()
    return {
        "meeting": meeting["id"],
        "bet_type": {"code": rules.code, "version": rules.version},
        "ticket_model": {"code": model.code, "version": model.version},
        "races": [race["id"] for race in meeting["races"]],
        "price_cents": 100,
        "scheduled_close_at": meeting["races"][0]["scheduled_start_at"],
    } | changes


def prepared(staff: Staff, meeting: Any, **changes: Any) -> Any:
    """Prepare a contest on a meeting. Return it."""
    return ok(staff.organiser.post("lototrot/contests", terms(meeting, **changes)))


def put_on_sale(staff: Staff, contest: Any) -> Any:
    """Publish and open a contest. Return it."""
    path = f"lototrot/contests/{contest['id']}"
    ok(staff.organiser.post(f"{path}/publication", {"rules": RULES}))
    ok(staff.confirmed(staff.organiser.post(f"{path}/opening")))
    return ok(staff.organiser.get(path))


def contest_on_sale(staff: Staff, day: date) -> Any:
    """Put a contest on sale whose seven races start every half an hour from five on. Return it."""
    starts = [at(day, 17 + n // 2, 30 * (n % 2)) for n in range(7)]
    return put_on_sale(staff, prepared(staff, imported(staff, programme(starts, day))))


def sold(point: Point, contest: Any, numbers: Sequence[int]) -> Any:
    """Sell a ticket of one bet. Return the answer of the sale."""
    api = terminal_api(point)
    api.post(f"lototrot/contests/{contest['id']}/display-acknowledgement")
    price = contest["price_cents"]
    return api.post(
        "lototrot/tickets",
        {
            "uuid": str(new_uuid()),
            "contest": contest["id"],
            "price_cents": price,
            "amount_cents": price,
            "races": [[number] for number in numbers],
        },
    )


def started(staff: Staff, race: Any, instant: datetime) -> Any:
    """Report the actual start of a race, as the first of two persons. Return the answer."""
    body = {"actual_start_at": instant.isoformat(), "source": "Jutge de sortida"}
    return staff.steward.post(f"lototrot/races/{race['id']}/start", body)


def classified(staff: Staff, race: Any, winner: int) -> Any:
    """Enter the classification announced now, confirmed by a second steward."""
    runners = [
        {"number": n, "outcome": "winner" if n == winner else "started"}
        | ({"place": 1} if n == winner else {})
        for n in NUMBERS
    ]
    proposal = staff.steward.post(
        f"lototrot/races/{race['id']}/classification",
        {
            "runners": runners,
            "announced_text": f"Guanya {winner}.",
            "announced_at": clock.now().isoformat(),
            "author": "Comissaris",
        },
    )
    return ok(staff.confirmed(proposal, staff.second_steward))


def run(staff: Staff, race: Any, winner: int, instant: datetime) -> None:
    """Move the clock to a race, have it start, and have its result announced five minutes later."""
    factories.time_to(instant)
    ok(staff.confirmed(started(staff, race, instant), staff.second_steward))
    factories.time_to(instant + timedelta(minutes=5))
    classified(staff, race, winner)


def settled(staff: Staff, contest: Any) -> Any:
    """Seal and settle a contest, as the workers do. Return its settlement."""
    contest_seal(contest_id=contest["id"])
    factories.prints_ended(Contest.objects.get(pk=contest["id"]))
    contest_settle(contest_id=contest["id"])
    return ok(staff.organiser.get(f"lototrot/contests/{contest['id']}/settlement"))


def ordered(staff: Staff, contest: Any) -> Any:
    """Order the payment by two persons. Return the settlement with its payment order."""
    path = f"lototrot/contests/{contest['id']}"
    ok(staff.confirmed(staff.organiser.post(f"{path}/payment-order")))
    return ok(staff.organiser.get(f"{path}/settlement"))
