"""Run the meetings of a season through the real services, and tell the auditor of every act."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from core.database import clock
from core.kernel.days import MADRID
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting, Race
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Void
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting, taken_before
from lototrot.services.contest import contests, preparing
from lototrot.services.prizes.carry_over import carry_overs_due
from lototrot.services.races import classification, withdrawals
from lototrot.services.races.classification import Entry
from lototrot.services.settlement import breach, payment_order
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.settlement.unprinted import unprinted_decide
from lototrot.services.tickets import putting_on_sale
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.printing import print_confirm
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.lototrot.starting import start
from tests.support.season.moments import MEETINGS, Incident, Moment
from tests.support.season.office import Office
from tests.support.season.replay import request_uuid
from tests.support.season.state import PRICE_CENTS, Paper, at, local, today

Instead = Callable[[Any, Any, int], None]
"""It is told the world, the plan and the leg."""
RULES = {"ca": "Regles.", "es": "Reglas.", "en": "Rules."}


@dataclass
class Plan:
    """A meeting as it is to come, with the incidents that are chosen for it.

    `started_at` is the instant that is recorded for the first start, by default the announced one;
    with `late_bets` some are sold shortly before it. `instead` says by leg what is done instead of
    running and classifying its race.
    """

    day: date
    starts: list[datetime]
    order_on: date
    incidents: list[Incident] = field(default_factory=list)
    late_bets: bool = False
    instead: dict[int, Instead] = field(default_factory=dict)
    unprinted: list[str] = field(default_factory=list)
    started_at: datetime | None = None
    contest: Contest | None = None
    settled: bool = False
    counted: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        assert self.contest is not None
        return str(self.contest.pk)

    @property
    def on(self) -> Contest:
        assert self.contest is not None
        self.contest.refresh_from_db()
        return self.contest

    @property
    def races(self) -> list[Race]:
        return [leg.race for leg in self.on.legs.order_by("position").select_related("race")]


@dataclass
class Meetings(Office):
    """Each meeting from its programme to the payment order; `waiting` are not ordered yet.

    `called_off` were on sale before their day, and are not held.
    """

    waiting: list[Plan] = field(default_factory=list)
    called_off: list[Plan] = field(default_factory=list)

    def meeting(self, plan: Plan) -> None:
        """Run a complete meeting, and what can be settled and ordered after it."""
        self.put_on_sale(plan)
        self._sell(plan)
        self._at(Moment.ON_SALE, plan)
        at(plan.day, 14)
        for _ in range(self.rng.randint(0, 6)):
            self.sale(plan)
        self._run(plan)
        ahead = [each for each in self.called_off if each.day == plan.day + timedelta(days=1)]
        self.waiting += [plan, *ahead]
        self.settle_waiting()

    def planned(self, day: date) -> Plan:
        """Plan a meeting of a day, with what is to go wrong in it."""
        plan = Plan(day, afternoon(day), order_on=day)
        for incident in self.possible:
            if incident.moment not in MEETINGS or not self._is_to_come(incident, plan):
                continue
            plan.incidents.append(incident)
            if incident.prepares:
                incident.prepares(self, plan)
        return plan

    def _is_to_come(self, incident: Incident, plan: Plan) -> bool:
        if incident.on:
            return incident.on(plan.day)
        if incident.alone and any(other.alone for other in plan.incidents):
            return False
        return self.comes_true(incident)

    def _at(self, moment: Moment, plan: Plan) -> None:
        """Play the incidents chosen for this moment, once."""
        for incident in plan.incidents:
            chosen = incident.moment is moment and incident.name not in plan.counted
            if chosen and incident.happens(self, plan):
                plan.counted.add(incident.name)
                self.incident(incident.name)

    # --- Selling ----------------------------------------------------------------------------------

    def put_on_sale(self, plan: Plan, *, on: date | None = None) -> Contest:
        """Return the contest of a day, on sale since that morning or an earlier day."""
        at(on or plan.day, 9)
        self._sign_on()
        course = factories.racecourse()
        programmes = [
            sorted(self.rng.sample(range(1, 8), self.rng.choice((2, 3, 3, 4)))) for _ in range(4)
        ]
        with transaction.atomic():  # a meeting and its races are one act
            meeting = factories.meeting(races=0, day=plan.day)
            for number, (numbers, starts) in enumerate(zip(programmes, plan.starts, strict=True)):
                factories.race(meeting, number, starts, numbers=numbers, course=course)
        plan.contest = self.prepared(meeting, plan)
        self._at(Moment.DRAFT, plan)
        organiser, contest = self.staff(Role.ORGANISER), plan.on
        putting_on_sale.contest_publish(by=organiser, contest=contest, rules=RULES)
        opening = putting_on_sale.contest_open_propose(by=organiser, contest=contest)
        self.two_confirm(opening, Role.ORGANISER)
        contest.refresh_from_db()
        for point in self.points:
            contests.display_acknowledge(by=point.actor, contest=contest)
        self.auditor.opens(plan.key, plan.day, programmes)
        self.contests.append(contest.pk)
        return contest

    def prepared(self, meeting: Meeting, plan: Plan, *, price_cents: int = PRICE_CENTS) -> Contest:
        return preparing.contest_create(
            by=self.staff(Role.ORGANISER),
            meeting=meeting,
            bet_type=self.bet_type,
            ticket_model=factories.ticket_model(),
            races=list(meeting.races.order_by("number")),
            price_cents=price_cents,
            max_bets=1000,
            scheduled_close_at=plan.starts[0],
            correction_window_s=300,
            correction_approval="CAIB 3/2006",
        )

    def _sell(self, plan: Plan) -> None:
        at(plan.day, 10)
        sold = [self.sale(plan) for _ in range(self.rng.randint(8, 26))]
        if self.happens(0.3):
            paper = self.papers[self.rng.choice(sold)]
            point = next(p for p in self.points if p.premises.pk == paper.premises)
            ticket_annul(
                by=point.actor,
                ident=uuid.UUID(paper.ident),
                presented_code=paper.code,
                reason="wrong race",
            )
            self.auditor.annulled(paper.ident, plan.day)
            self.count("annulled")
        by = self.staff(Role.STEWARDS)
        facts = self.auditor.meetings[plan.key]
        for place, race in enumerate(plan.races):
            if self.happens(0.15) and len(facts.races[place].programme) > 2:
                number = self.rng.choice(facts.races[place].programme)
                entered = withdrawals.withdrawal_enter(
                    by=by, race_id=race.pk, number=number, source="Vet"
                )
                self.two_confirm(entered.proposal, Role.STEWARDS)
                self.auditor.withdrawn(plan.key, place, number)
                self.count("withdrawn")

    def legs(self, plan: Plan) -> list[list[int]]:
        legs = []
        for race in self.auditor.meetings[plan.key].races:
            offered = [n for n in race.programme if n not in race.withdrawn]
            many = self.rng.choice((1, 1, 1, 2))
            legs.append(sorted(self.rng.sample(offered, min(many, len(offered)))))
        return legs

    def sale(self, plan: Plan, *, legs: list[list[int]] | None = None, printed: bool = True) -> str:
        """Sell a ticket, and tell the auditor. Raise what the sale raises."""
        point, legs = self.rng.choice(self.points), legs or self.legs(plan)
        bets = 1
        for leg in legs:
            bets *= len(leg)
        contest = int(plan.key)
        ident = request_uuid()
        request = SaleRequest(
            ident, contest, tuple(map(tuple, legs)), PRICE_CENTS, bets * PRICE_CENTS
        )
        sold = ticket_sell(credentials=point.credentials, request=request)
        if self.happens(0.05):  # the answer was lost: the terminal asks again
            sold = ticket_sell(credentials=point.credentials, request=request)
        assert sold.code is not None
        if printed:
            print_confirm(by=point.bare, ident=ident)
        self.papers[str(ident)] = Paper(str(ident), sold.code.grouped, point.premises.pk)
        self.auditor.sold(str(ident), plan.key, str(point.premises.pk), legs, today())
        self.count("tickets")
        return str(ident)

    # --- Racing -----------------------------------------------------------------------------------

    def _run(self, plan: Plan) -> None:
        factories.time_on_to(plan.starts[0] - timedelta(minutes=1))
        self._at(Moment.BEFORE_START, plan)
        if plan.late_bets:
            self._sell_late(plan)
        for place in range(len(plan.races)):
            plan.instead.get(place, Meetings.race)(self, plan, place)
        self._at(Moment.RACED, plan)

    def race(self, plan: Plan, place: int) -> None:
        """Start a race, and classify it."""
        by, other = self.two(Role.STEWARDS)
        race, facts = plan.races[place], self.auditor.meetings[plan.key].races[place]
        recorded = plan.started_at if place == 0 else None
        started = recorded or max(race.scheduled_start_at, clock.now())
        factories.time_on_to(started + timedelta(seconds=30))
        start(race, started, by=by, second=other)
        ran = [n for n in facts.programme if n not in facts.withdrawn]
        left = {self.rng.choice(ran)} if len(ran) > 2 and self.happens(0.05) else set()
        able = [n for n in ran if n not in left]
        heat = len(able) > 2 and self.happens(0.06)
        winners = set(self.rng.sample(able, 2 if heat else 1))
        announced = clock.now()
        proposal = classification.classification_propose(
            by=by,
            race_id=race.pk,
            runners=entries(facts.programme, facts.withdrawn, left, winners),
            announced_text="Oficial",
            author="Comissaris",
            announced_at=announced,
        )
        two_persons.confirm(proposal=proposal.uuid, by=other)
        there = announced.astimezone(MADRID)
        self.auditor.classified(plan.key, place, winners, left, there)

    def _sell_late(self, plan: Plan) -> None:
        """Sell bets that only the video will show to be late."""
        for number in range(self.rng.randint(1, 3)):
            factories.time_on_to(plan.starts[0] - timedelta(seconds=30 - number))
            self.sale(plan)
        plan.started_at = plan.starts[0] - timedelta(seconds=10)

    # --- Settling ---------------------------------------------------------------------------------

    def settle_waiting(self) -> None:
        """Settle and order what can be, in the order of the meetings (B14)."""
        while self.waiting:
            plan = self.waiting[0]
            if not plan.settled:
                self._settle(plan)
            if plan.order_on > today():
                return
            self._order(plan)
            self.waiting.pop(0)

    def _settle(self, plan: Plan) -> None:
        tasks.seal(int(plan.key))
        tasks.end_prints(int(plan.key))
        if plan.unprinted:
            self._decide_unprinted(plan)
        if breach_pending(int(plan.key)):
            self.void_breaches(plan)
        self._at(Moment.CLOSED, plan)
        self.settle(plan)
        self._at(Moment.SETTLED, plan)
        plan.settled = True
        self.count("won", len(self.winners(plan)))

    def _decide_unprinted(self, plan: Plan) -> None:
        """Void tickets that were not printed in time, or let them stand, by two persons [E11]."""
        verdict = self.rng.choice(("void", "stand"))
        proposal = unprinted_decide(
            by=self.staff(Role.ORGANISER),
            contest_id=int(plan.key),
            verdict=verdict,
            reason="No paper",
        )
        self.two_confirm(proposal, Role.ORGANISER)
        if verdict == "void":
            for ident in plan.unprinted:
                self.auditor.voided_in_breach(ident, today())

    def settle(self, plan: Plan) -> None:
        """Settle a contest, and compare every prize with the auditor's."""
        code = plan.on.bet_type_code
        missed = [day for day, _ in carry_overs_waiting(code) if day < taken_before(code)]
        assert not missed, "what waits there would never be carried over"
        for pk in carry_overs_due():
            tasks.carry_over(pk)
        if plan.on.state != Contest.State.SETTLED and not tasks.settle(int(plan.key)):
            self.night()  # what lapsed is to be placed first
            contest_settle(contest_id=int(plan.key))
            self.count("held up")
        expected = self.auditor.settles(plan.key)
        settlement = plan.on.settlements.get(in_force=True)
        rows = Prize.objects.filter(settlement=settlement, prize_cents__gt=0)
        prizes = {str(u): c for u, c in rows.values_list("ticket__uuid", "prize_cents")}
        assert prizes == expected, self.auditor.meetings[plan.key]

    def night(self) -> None:
        """Run the nights that are due."""
        raise NotImplementedError

    def void_breaches(self, plan: Plan) -> int:
        """Void the bets in breach by two persons. Return how many."""
        proposal = breach.breach_void(by=self.staff(Role.ORGANISER), contest_id=int(plan.key))
        self.two_confirm(proposal, Role.ORGANISER)
        voids = Void.objects.filter(proposal=proposal).select_related("ticket").order_by("pk")
        for void in voids:
            self.auditor.voided_in_breach(str(void.ticket.uuid), today())
            self.comes(str(void.ticket.uuid), today())
        return len(voids)

    def _order(self, plan: Plan) -> None:
        proposal = payment_order.payment_order_propose(
            by=self.staff(Role.ORGANISER), contest_id=int(plan.key)
        )
        self.two_confirm(proposal, Role.ORGANISER)
        self.auditor.ordered(plan.key, today())
        for held in self.held:
            if self.auditor.tickets[held.ident].contest == plan.key:
                held.after = self.last_claim_day(held.ident)
        self._at(Moment.ORDERED, plan)
        counted_from = self.auditor.meetings[plan.key].last_claim_day
        assert counted_from is not None
        for ident in self.winners(plan):
            self.comes(ident, counted_from - timedelta(days=30))

    def winners(self, plan: Plan) -> list[str]:
        """Return the tickets with a prize that nobody has claimed."""
        idents = self.auditor.meetings[plan.key].tickets
        return [
            ident
            for ident in idents
            if self.auditor.tickets[ident].prize_cents and not self.auditor.tickets[ident].claim
        ]


def afternoon(day: date) -> list[datetime]:
    """Return the usual starts of a day."""
    return [local(day, 17) + timedelta(minutes=20 * number) for number in range(4)]


def entries(
    programme: list[int], withdrawn: set[int], left: set[int], winners: set[int]
) -> list[Entry]:
    """Return a classification as the stewards announce it."""
    return [
        Entry(n, "withdrawn")
        if n in withdrawn
        else Entry(n, "left", ruling="Refused the start")
        if n in left
        else Entry(n, "winner", 1)
        if n in winners
        else Entry(n, "started")
        for n in programme
    ]
