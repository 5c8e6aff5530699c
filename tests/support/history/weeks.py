"""Make weeks of history, as fast as the database writes: a meeting, its tickets and what follows.

Acts of staff, settlements, statements and nights are the services' own; the acts of terminals are
done in bulk (`acts`). In each week a meeting is sold on Saturday, settled, ordered, and mostly paid
on Sunday; what nobody claims lapses a month later and is carried over. Premises remit what their
statement says. Some plays of a pre-drawn game are sold and played. Before you make a history, name
the process (`name_process`), outside any transaction.
"""

import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from math import prod
from random import Random
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.tokens import token_digest
from core.journal.services import batch_seal, last_batch
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.nights import jobs
from core.nights.models import JobRun
from core.nights.nightly import JOURNAL_AUDIT, lapse
from core.premises.models import OperatorSession
from core.staff.powers import Role
from core.statements import postings
from core.statements.balances import mark_make
from core.statements.models import (
    SECOND_PERSON_AT_LATEST_CENTS,
    Remittance,
    Statement,
)
from core.statements.services import statements_issue
from core.statements.weeks import ident
from lototrot.models.contest import Contest
from lototrot.sample import facts, players
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets.putting_on_sale import contest_publish
from promotrot.models.emission import Emission
from tests.support import emitting, factories, rounds
from tests.support.factories import Point
from tests.support.factories.people import House, somebody, working_at
from tests.support.history import acts
from tests.support.history.acts import Done, Line

FIRST = date(2030, 1, 5)
"""The Saturday of the first meeting."""
WINNERS = (6, 4, 5, 8, 4, 1, 1)
"""With these results about a third of the tickets wins something."""
SEED = 20051230
_LINES = 2_000  # different selections; tickets repeat them
_ANNULLED_IN = 50
_SESSION_DAYS = 30
_WEEKS_OF_EMISSION = 10
_MOST_BY_ONE_CENTS = SECOND_PERSON_AT_LATEST_CENTS - 1
_RULES = {"ca": "Regles", "es": "Reglas", "en": "Rules"}


@dataclass
class History:
    """A history that grows week by week. `tickets` and `plays` are those of each week.

    `done` has every act that was measured, by kind, in the order of the weeks. `seconds` is the
    clock of settlements. The acts of terminals are done in so many `sessions` at the same time.
    """

    points: list[Point]
    tickets: int
    plays: int = 0
    seconds: Callable[[], float] = time.perf_counter
    sessions: int = 1
    weeks: int = 0
    done: dict[str, list[Done]] = field(default_factory=lambda: defaultdict(list))
    _emission: Emission | None = None
    _left: int = 0  # tickets of the emission
    _house: House = field(default_factory=House)

    def grow(self, weeks: int) -> None:
        """Add weeks; afterwards it is noon of the last week's Sunday, and nothing is due."""
        with working_at(self._house):
            for _ in range(weeks):
                self._saturday()
                self._sunday(self.saturday + timedelta(days=1))
                self.weeks += 1

    @property
    def saturday(self) -> date:
        """The day of the next meeting."""
        return FIRST + timedelta(days=7 * self.weeks)

    def _saturday(self) -> None:
        """Issue what the week before left, then sell, print and settle a meeting."""
        contest = self.on_sale()
        self.done["sale"].append(self.sell(contest, self.tickets, sessions=self.sessions))
        self.done["print"].append(acts.print_all(contest, self.tickets, sessions=self.sessions))
        acts.annul_last(contest, self.tickets // _ANNULLED_IN)
        self._plays()
        self.settle(contest)

    def on_sale(self) -> Contest:
        """Do the nights of the week before, and put the next meeting on sale at every terminal."""
        day = self.saturday
        self._nights_until(day)
        factories.time_to(_at(day, 11))
        self.points = signed_on(self.points)
        contest = self._contest()
        acts.acknowledge(contest, self.points, sessions=self.sessions)
        return contest

    def sell(self, contest: Contest, count: int, *, sessions: int = 1) -> Done:
        """Sell so many tickets of a contest on sale."""
        return acts.sell(contest, self.points, _lines(), count, sessions=sessions)

    def settle(self, contest: Contest) -> None:
        """Close a contest and enter its results, settle and order it."""
        self.close(contest)
        began = self.seconds()
        contest_settle(contest_id=contest.pk)
        self.done["settle"].append(Done(self.tickets, self.seconds() - began))
        rounds.order(contest)

    def close(self, contest: Contest) -> None:
        """Close a contest in the afternoon of its day, and enter its results: it can be settled."""
        factories.time_to(_at(contest.day, 14))
        factories.contest_closed(contest)
        for race, winner in zip(factories.races_of(contest), WINNERS, strict=True):
            with transaction.atomic():  # as two persons' confirmation would
                factories.started(race)
            with transaction.atomic():
                factories.classified(race, [winner], start=False)
        for waiting in carry_overs_due():
            lapsed_carry_over(contest_id=waiting)

    def _sunday(self, day: date) -> None:
        to_sunday(day)
        contest = Contest.objects.order_by("-day")[0]
        self.done["pay"].append(acts.pay_most(contest, day, sessions=self.sessions))
        while batch_seal() is not None:
            pass

    def _nights_until(self, day: date) -> None:
        """Do what the nights of a week would write, and record their jobs as done."""
        if not self.weeks:
            return
        factories.time_to(_at(day, 2))
        sunday = add_days(day, -6)
        lapse(add_days(day, -1))
        with transaction.atomic():
            mark_make()
        statements_issue(until=sunday)
        remit(sunday)
        record_nights(add_days(day, -7), add_days(day, -1))

    def _contest(self) -> Contest:
        shares = facts.load("son-pardo").bet_shares()
        course = factories.racecourse()
        with transaction.atomic():
            meeting = factories.meeting(races=0)
            races = [
                factories.race(
                    meeting,
                    number,
                    clock.now() + timedelta(hours=2, minutes=10 * number),
                    numbers=sorted(race),
                    course=course,
                )
                for number, race in enumerate(shares, start=1)
            ]
            contest: Contest = factories.contest(
                meeting, races=races, price_cents=50, correction_window_s=86_400
            )
        contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=_RULES)
        return contest

    def _plays(self) -> None:
        """Sell and play the week's plays; begin an emission where the last one is sold out."""
        if not self.plays:
            return
        if self._emission is None or self._left < self.plays:
            if self._emission is not None:
                emitting.closed(self._emission)
            self._left = max(40, self.plays * _WEEKS_OF_EMISSION // 40 * 40)
            self._emission = emitting.opened(_game(f"week-{self.weeks}", self._left))
        self._left -= self.plays
        point = self.points[self.weeks % len(self.points)]
        emitting.played(point, emitting.sold(self._emission, self.plays, point))


@cache
def _lines() -> Sequence[Line]:
    """Return the selections: the same in each history, and long to draw."""
    shares = facts.load("son-pardo").bet_shares()
    masks = players.multiple_masks(Random(SEED), shares, _LINES)
    return tuple(Line(line, prod(map(int.bit_count, line))) for line in masks)


def _game(code: str, tickets: int) -> dict[str, Any]:
    """Return a pre-drawn game of one block, 70 % of it in prizes."""
    tiers = [
        {"cash_cents": 400, "count": tickets // 20},
        {"cash_cents": 100, "count": tickets // 2},
    ]
    return emitting.small(code, tickets=tickets, block_tickets=tickets, tiers=tiers)


def begin(
    *,
    premises: int,
    tickets: int,
    plays: int = 0,
    seconds: Callable[[], float] = time.perf_counter,
    sessions: int = 1,
) -> History:
    """Return an empty history: a terminal at each of so many premises."""
    factories.time_to(_at(FIRST, 9) - timedelta(days=1))
    points = [factories.point() for _ in range(premises)]
    return History(points, tickets, plays, seconds, sessions)


def signed_on(points: Sequence[Point]) -> list[Point]:
    """Sign the operator of each terminal on again where the session ends within a week."""
    now = clock.now()
    if points[0].session.expires_at > now + timedelta(days=8):
        return list(points)
    again = [
        Point(p.premises, p.terminal, p.operator, p.session, p.token, f"{uuid.uuid4()}")
        for p in points
    ]
    sessions = OperatorSession.objects.bulk_create(
        OperatorSession(
            terminal=point.terminal,
            operator=point.operator,
            token_digest=token_digest(point.session_token),
            started_at=now,
            expires_at=now + timedelta(days=_SESSION_DAYS),
        )
        for point in again
    )
    return [
        Point(p.premises, p.terminal, p.operator, session, p.token, p.session_token)
        for p, session in zip(again, sessions, strict=True)
    ]


@transaction.atomic
def remit(sunday: date) -> None:
    """Record that premises paid what the statements of a week say they owe.

    They pay in parts, where one payment would need two persons.
    """
    by, now, first = somebody(), clock.now(), add_days(sunday, -6)
    owing = Statement.objects.filter(week_to=sunday, closing_cents__gt=0).order_by("pk")
    remittances = Remittance.objects.bulk_create(
        Remittance(
            uuid=ident(premises_id, first, number),
            statement_id=statement_id,
            number=number,
            premises_id=premises_id,
            amount_cents=min(_MOST_BY_ONE_CENTS, cents - done_cents),
            paid_on=natural_day(now),
            reference=f"TRF {statement_id} {number}",
            recorded_at=now,
            recorded_by_id=by.user_id,
            recorded_in=by,
        )
        for statement_id, premises_id, cents in owing.values_list(
            "pk", "premises_id", "closing_cents"
        )
        for number, done_cents in enumerate(range(0, cents, _MOST_BY_ONE_CENTS), start=1)
    )
    ledger.post_all(
        {
            each.uuid: [postings.remittance(each.premises_id, each.amount_cents)]
            for each in remittances
        }
    )


@transaction.atomic
def record_nights(first: date, last: date) -> None:
    """Record every job as done on every day, as nights with nothing more to do would.

    The journal's audit tells the next one how far it came, or that one would begin from the start.
    """
    now = clock.now()
    batch = last_batch()
    counts = {JOURNAL_AUDIT: {"last_batch": batch.number}} if batch else {}
    days = [add_days(first, number) for number in range((last - first).days + 1)]
    JobRun.objects.bulk_create(
        (
            JobRun(
                job=job.name,
                day=day,
                state=JobRun.State.DONE,
                started_at=now,
                ended_at=now,
                counts=counts.get(job.name, {}),
            )
            for job in jobs.all_jobs()
            for day in days
            if job.on(day)
        ),
        ignore_conflicts=True,
    )


def to_sunday(day: date) -> None:
    """Go to the hour of a Sunday at which prizes are paid."""
    factories.time_to(_at(day, 11))


def _at(day: date, hour: int) -> datetime:
    return datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
