"""Create and publish contests through the services, with what a test takes from them."""

from typing import Any

from django.conf import settings

from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import BetType, Contest
from lototrot.models.programme import Meeting
from lototrot.services.authority.bet_types import bet_type_propose
from lototrot.services.contest.preparing import contest_create
from lototrot.services.tickets.putting_on_sale import (
    contest_gates,
    contest_open_propose,
    contest_publish,
)
from tests.support import factories

RULES = {code: f"The rules in {code}." for code, _ in settings.LANGUAGES}
DOCUMENT = {
    "code": "two-races",
    "version": 1,
    "name": "Two races",
    "legs": 2,
    "prize_percent": "60",
    "payout_step_cents": 1,
    "jackpot_threshold_cents": 0,
    "shares_below": {"2": "100", "reserve": "0"},
    "shares_above": {"2": "100", "reserve": "0"},
}


def of_legs(legs: int) -> dict[str, Any]:
    shares = {str(legs): "100", "reserve": "0"}
    return DOCUMENT | {
        "code": f"races-{legs}",
        "legs": legs,
        "shares_below": shares,
        "shares_above": shares,
    }


def recorded(by: StaffActor, document: dict[str, Any], authorisation: str = "CAIB 9") -> BetType:
    """Record, by two persons, another bet type than the regulation's."""
    proposal = bet_type_propose(by=by, document=document, authorisation=authorisation)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    return BetType.objects.get(proposal=proposal)


def opened(by: StaffActor, contest: Contest) -> Contest:
    """Put the contest on sale by two persons."""
    proposal = contest_open_propose(by=by, contest=contest)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    return contest


def created(by: StaffActor, meeting: Meeting | None = None, **changes: Any) -> Contest:
    """A contest that lacks nothing but what `changes` takes from it."""
    meeting = meeting or factories.meeting()
    bet_type = changes.pop("bet_type", None) or factories.bet_type()
    races = list(meeting.races.order_by("number"))[: bet_type.document["legs"]]
    arguments = {
        "meeting": meeting,
        "bet_type": bet_type,
        "ticket_model": factories.ticket_model(),
        "races": races,
        "price_cents": 100,
        "max_bets": 10_000,
        "scheduled_close_at": min(race.scheduled_start_at for race in races),
    }
    return contest_create(by=by, **(arguments | changes))


def published(by: StaffActor, contest: Contest) -> Contest:
    contest_publish(by=by, contest=contest, rules=RULES)
    return contest


def shut(contest: Contest) -> list[tuple[str, str]]:
    return [(gate.code, gate.article) for gate in contest_gates(contest=contest)]
