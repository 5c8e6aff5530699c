"""Hold the state of a season: its people and places, its papers, and the day's clock."""

import secrets
import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random

from core.database import clock
from core.kernel.days import MADRID
from core.premises.models import OperatorSession
from core.staff.actor import StaffActor
from core.staff.services import token_digest
from lototrot.models.contest import BetType
from tests.support import factories
from tests.support.factories import Point
from tests.support.season.auditor import Auditor, Terms

PRICE_CENTS = 350
SECOND_RATE_AFTER_DAYS = 24


def terms(begins: date) -> Terms:
    """Return the terms as the auditor reads them."""
    return Terms(
        chain="season",
        legs=4,
        prize_percent=Fraction(65),
        threshold_cents=40_000,
        below={"4": 40, "3": 30, "2": 30},
        above={"4": 30, "3": 30, "2": 30, "reserve": 10},
        share_percents={"commission": 25, "management": 35, "tax": 25, "remainder": 15},
        price_cents=PRICE_CENTS,
        claim_days=30,
        commission=[
            (begins, Fraction(6)),
            (begins + timedelta(days=SECOND_RATE_AFTER_DAYS), Fraction("7.5")),
        ],
    )


@dataclass
class Paper:
    """A document that a player holds."""

    ident: str
    code: str
    premises: int


@dataclass
class Season:
    """The people, places and papers of a season, and the auditor who is told of every act."""

    rng: Random
    begins: date
    auditor: Auditor
    points: list[Point]
    bet_type: BetType
    cashier: StaffActor
    second: StaffActor
    session: str
    papers: dict[str, Paper] = field(default_factory=dict)
    due: list[tuple[date, str]] = field(default_factory=list)
    deposited: list[tuple[date, str, uuid.UUID]] = field(default_factory=list)
    contests: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, many: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + many

    def _sign_on(self) -> None:
        """Sign operators on again, because their sessions end after some days."""
        now = clock.now()
        if self.points[0].session.expires_at > now + timedelta(days=1):
            return
        self.points = [_signed_on(point) for point in self.points]

    def _comes(self, ident: str, day: date) -> None:
        """Choose the day on which the player comes: soon, a month later, too late, or never."""
        if self.rng.random() < 0.75:
            self.due.append((day + timedelta(days=self.rng.choice((1, 1, 2, 3, 8, 29, 30))), ident))


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


def local(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=MADRID).astimezone(UTC)


def at(day: date, hour: int, minute: int = 0) -> None:
    """Move time to that hour, unless it is later already."""
    factories.time_to(max(local(day, hour, minute), clock.now()))
