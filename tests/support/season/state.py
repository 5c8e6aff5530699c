"""Hold the state of a season: its people and places, its papers, and the day's clock."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from core.database import clock
from core.database.tokens import token_digest
from core.kernel.days import MADRID, natural_day
from core.premises.models import OperatorSession
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import BetType
from tests.support import factories
from tests.support.factories import Point
from tests.support.season.auditor import Auditor
from tests.support.season.books import Books, Commission
from tests.support.season.dividing import Terms
from tests.support.season.instant_auditor import InstantAuditor
from tests.support.season.moments import Incident, Moment
from tests.support.season.rights import Rights

PRICE_CENTS = 350
SECOND_RATE_AFTER_DAYS = 24
OVERDUE_AFTER, OVERDUE_FACTOR = 40, 6
TERMS = Terms(
    chain="season",
    legs=4,
    prize_percent=Fraction(65),
    threshold_cents=40_000,
    below={"4": 40, "3": 30, "2": 30},
    above={"4": 30, "3": 30, "2": 30, "reserve": 10},
    share_percents={"commission": 25, "management": 35, "tax": 25, "remainder": 15},
    price_cents=PRICE_CENTS,
    claim_days=30,
)
"""The terms as the auditor reads them."""


def commission(begins: date) -> dict[str, Commission]:
    """Return the commission agreed with the premises, by game."""
    later = begins + timedelta(days=SECOND_RATE_AFTER_DAYS)
    return {
        "lototrot": Commission(
            "organiser:commission", [(begins, Fraction(6)), (later, Fraction("7.5"))]
        ),
        "promotrot": Commission("promotrot:organiser:commission", [(begins, Fraction(9))]),
    }


@dataclass
class Paper:
    """A document that a player holds.

    A voucher has no `code` while its paper did not come out; its player then has the receipt of
    the play only.
    """

    ident: str
    code: str
    premises: int
    voucher: bool = False


@dataclass
class Season:
    """The people, places and papers of a season, and the auditors who are told of every act.

    `eagerness` multiplies the weights of the `possible` incidents. So many processes are killed as
    `most_kills` says; `environment` is that of another process on the same database.
    """

    rng: Random
    begins: date
    books: Books
    rights: Rights
    auditor: Auditor
    instants: InstantAuditor
    points: list[Point]
    bet_type: BetType
    cashier: StaffActor
    second: StaffActor
    session: str
    environment: Mapping[str, str]
    possible: Sequence[Incident]
    eagerness: float = 1.0
    most_kills: int = 1
    papers: dict[str, Paper] = field(default_factory=dict)
    due: list[tuple[date, str]] = field(default_factory=list)
    contests: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    incidents: dict[str, int] = field(default_factory=dict)
    staff_by_role: dict[tuple[Role, int], StaffActor] = field(default_factory=dict)

    def count(self, name: str, many: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + many

    def incident(self, name: str) -> None:
        """Count an incident of that kind."""
        self.incidents[name] = self.incidents.get(name, 0) + 1

    def happens(self, chance: float) -> bool:
        return self.rng.random() < chance

    def comes_true(self, incident: Incident) -> bool:
        """Return whether an incident is to happen now. One that is overdue is likelier."""
        overdue = len(self.contests) > OVERDUE_AFTER and incident.name not in self.incidents
        weight = incident.weight * self.eagerness * (OVERDUE_FACTOR if overdue else 1)
        return self.happens(min(0.9, weight))

    def run_incidents(self, moment: Moment, subject: Any) -> bool:
        """Play at most one of the incidents of a moment. Return whether one was played."""
        for incident in self.possible:
            if incident.moment is not moment or not self.comes_true(incident):
                continue
            if incident.happens(self, subject):
                self.incident(incident.name)
                return True
        return False

    def staff(self, role: Role, number: int = 1) -> StaffActor:
        """Return the first, or another, person in a role, always the same one."""
        key = (role, number)
        if key not in self.staff_by_role:
            self.staff_by_role[key] = factories.staff(role)
        return self.staff_by_role[key]

    def two(self, role: Role) -> tuple[StaffActor, StaffActor]:
        return self.staff(role, 1), self.staff(role, 2)

    def _sign_on(self) -> None:
        """Sign operators on again, because their sessions end after some days."""
        now = clock.now()
        if min(point.session.expires_at for point in self.points) > now + timedelta(days=1):
            return
        self.points = [_signed_on(point) for point in self.points]

    def comes(self, ident: str, counted_from: date) -> None:
        """Choose the day on which the player comes: soon, a month later, too late, or never.

        The days to claim are counted from the day after `counted_from`; the thirtieth is the last.
        """
        if self.happens(0.75):
            days = self.rng.choice((1, 1, 2, 3, 8, 29, 30, 31 if self.happens(0.2) else 30))
            self.due.append((counted_from + timedelta(days=days), ident))


def _signed_on(point: Point) -> Point:
    token, now = secrets.token_urlsafe(32), clock.now()
    session = OperatorSession.objects.create(
        terminal=point.terminal,
        operator=point.operator,
        token_digest=token_digest(token),
        started_at=now,
        expires_at=now + timedelta(days=20),
    )
    return Point(point.premises, point.terminal, point.operator, session, point.token, token)


def today() -> date:
    return natural_day(clock.now())


def local(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=MADRID).astimezone(UTC)


def at(day: date, hour: int, minute: int = 0) -> None:
    """Move time to that hour, unless it is later already."""
    factories.time_on_to(local(day, hour, minute))
