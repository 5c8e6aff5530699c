"""Begin a season, and bring each of its days to the next."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from random import Random
from types import MappingProxyType

import pytest

from core.payoffice.services.cash import cash_open
from core.premises.models import Premises
from core.staff.powers import Role
from lototrot.postings import Source
from lototrot.services.authority.ending import (
    Destination,
    EndNotWhole,
    GameNotOver,
    end_propose,
)
from tests.support import factories
from tests.support.lototrot.putting_on_sale import recorded
from tests.support.season.auditor import Auditor
from tests.support.season.books import Books
from tests.support.season.instant_auditor import InstantAuditor
from tests.support.season.moments import Incident, Moment
from tests.support.season.nights import Nights
from tests.support.season.rights import Rights
from tests.support.season.state import TERMS, at, commission, local
from tests.support.stating import rate

DOCUMENT = {
    "code": "season",
    "version": 1,
    "name": "Season",
    "legs": 4,
    "prize_percent": "65",
    "payout_step_cents": 1,
    "jackpot_threshold_cents": 40_000,
    "shares_below": {"4": "40", "3": "30", "2": "30"},
    "shares_above": {"4": "30", "3": "30", "2": "30", "reserve": "10"},
}
FLOAT_CENTS = 50_000_000


class World(Nights):
    """A season with both games and all its incidents."""

    def day(self, day: date, *, meeting: bool, play: bool = True) -> None:
        """Serve the players, make the due decisions, and hold the day's meeting and plays."""
        self.claims(day)
        self.debts(day)
        self.settle_waiting()
        if play:
            self.instant_day(day)
        if meeting and day not in [plan.day for plan in self.called_off]:
            self.meeting(self.planned(day))
        if play:
            self.run_incidents(Moment.EVENING, day)

    def is_special(self, day: date) -> bool:
        """Return whether an incident of the calendar wants a meeting on that day."""
        return any(incident.on is not None and incident.on(day) for incident in self.possible)

    def end_day(self, day: date, *, missed: float = 0.15) -> bool:
        """Run the night after a day, unless it is left out. Return whether it was run."""
        at(day + timedelta(days=1), 0, 30)
        if not self.run_incidents(Moment.NIGHT, day) and self.happens(missed):
            return False  # it is caught up with
        self.night()
        self.compare()
        return True

    def end_lototrot(self) -> None:
        """Send all that the chain holds for nobody where the authority decides [A21].

        It is refused while money is held for a bearer, and if a cent has no place to go.
        """
        left = self.auditor.left()
        sums = [Destination(Source(of), cents, "Creu Roja") for of, cents in left.items()]
        end = partial(
            end_propose,
            by=self.staff(Role.ORGANISER),
            bet_type=TERMS.chain,
            decision="DGJ 9/2033",
        )
        if self.auditor.is_held():
            with pytest.raises(GameNotOver):
                end(destinations=sums)
            self.count("end refused while money is held")
            return
        for wrong in (sums[1:], [*sums, *sums]):
            with pytest.raises(EndNotWhole):
                end(destinations=wrong)
        self.two_confirm(end(destinations=sums), Role.ORGANISER)
        self.auditor.ends()
        self.compare()
        self.count("lototrot ended")


def begin(
    rng: Random,
    begins: date,
    *,
    environment: Mapping[str, str] = MappingProxyType({}),
    possible: Sequence[Incident] = (),
    eagerness: float = 1.0,
    most_kills: int = 1,
    premises: int = 5,
) -> World:
    """Make places, people and rules, on the eve of the season's first day.

    Without `possible` incidents, nothing goes wrong and nothing is killed.
    """
    factories.time_to(local(begins, 8))
    organiser = factories.staff(Role.ORGANISER)
    agreed = commission(begins)
    for game, terms in agreed.items():
        for since, percent in terms.rates:
            rate(organiser, str(float(percent)), since, game=game)
    office = factories.premises(Premises.Kind.CENTRAL_OFFICE, authorised=())
    cashier, second = factories.staff(Role.CASHIER), factories.staff(Role.CASHIER)
    session = cash_open(by=cashier, premises=office.code, float_cents=FLOAT_CENTS)
    cash_open(by=second, premises=office.code, float_cents=0)
    books, rights = Books(agreed), Rights()
    world = World(
        rng=rng,
        begins=begins,
        books=books,
        rights=rights,
        auditor=Auditor(TERMS, books, rights),
        instants=InstantAuditor(books, rights),
        points=[factories.point() for _ in range(premises)],
        bet_type=recorded(organiser, DOCUMENT, "CAIB 1/2030"),
        cashier=cashier,
        second=second,
        session=f"payoffice:cash:{session.pk}",
        environment=environment,
        possible=possible,
        eagerness=eagerness,
        most_kills=most_kills,
    )
    books.float_given(world.session, FLOAT_CENTS)
    return world
