"""Run the meetings of a season through the real services, and tell the auditor of every act."""

import uuid
from datetime import date, timedelta
from random import Random

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.services.cash import cash_open
from core.premises.models import Premises
from core.staff import two_persons
from core.staff.powers import Role
from core.statements.services import commission_rate_record
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Prize
from lototrot.models.tickets import Void
from lototrot.services.contest import contests, preparing
from lototrot.services.prizes.carry_over import carry_overs_due
from lototrot.services.races import classification, withdrawals
from lototrot.services.races.classification import Entry
from lototrot.services.settlement import breach, payment_order
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.lototrot.putting_on_sale import recorded
from tests.support.lototrot.scheduling import postpone
from tests.support.lototrot.starting import start
from tests.support.season.auditor import Auditor
from tests.support.season.office import Office
from tests.support.season.state import PRICE_CENTS, Paper, at, local, terms

RULES = {"ca": "Regles.", "es": "Reglas.", "en": "Rules."}
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


class World(Office):
    """A season with its meetings, each from its programme to the payment order."""

    def meeting(self, day: date) -> int:
        """Run a complete meeting. Return the id of its contest."""
        contest = self.put_on_sale(day)
        self._sell(contest, day)
        self._run(contest, day)
        self.settle(contest)
        self._order(contest)
        return contest.pk

    def put_on_sale(self, day: date, *, on: date | None = None) -> Contest:
        """Return the contest of a day, on sale since that morning or an earlier day."""
        at(on or day, 9)
        self._sign_on()
        meeting = factories.meeting(races=0, day=day)
        course = factories.racecourse()
        programmes = [
            sorted(self.rng.sample(range(1, 8), self.rng.choice((2, 3, 3, 4)))) for _ in range(4)
        ]
        races = [
            factories.race(
                meeting,
                number,
                local(day, 17) + timedelta(minutes=20 * number),
                numbers=numbers,
                course=course,
            )
            for number, numbers in enumerate(programmes)
        ]
        organiser = factories.staff(Role.ORGANISER)
        contest = preparing.contest_create(
            by=organiser,
            meeting=meeting,
            bet_type=self.bet_type,
            ticket_model=factories.ticket_model(),
            races=races,
            price_cents=PRICE_CENTS,
            max_bets=1000,
            scheduled_close_at=local(day, 17),
            correction_window_s=300,
            correction_approval="CAIB 3/2006",
        )
        contests.contest_publish(by=organiser, contest=contest, rules=RULES)
        contests.contest_open(by=organiser, contest=contest)
        for point in self.points:
            contests.display_acknowledge(by=point.actor, contest=contest)
        self.auditor.opens(str(contest.pk), day, programmes)
        self.contests.append(contest.pk)
        return contest

    def _sell(self, contest: Contest, day: date) -> None:
        at(day, 10)
        facts = self.auditor.meetings[str(contest.pk)]
        many = self.rng.randint(8, 26)
        sold = [self.sale(contest, self._legs(contest), day) for _ in range(many)]
        if self.rng.random() < 0.3:
            paper = self.papers[self.rng.choice(sold)]
            point = next(p for p in self.points if p.premises.pk == paper.premises)
            ticket_annul(
                by=point.actor,
                ident=uuid.UUID(paper.ident),
                presented_code=paper.code,
                reason="wrong race",
            )
            self.auditor.annulled(paper.ident, day)
            self.count("annulled")
        by, other = factories.staff(Role.STEWARDS), factories.staff(Role.STEWARDS)
        for place, leg in enumerate(contest.legs.order_by("position")):
            if self.rng.random() < 0.15 and len(facts.races[place].programme) > 2:
                number = self.rng.choice(facts.races[place].programme)
                entered = withdrawals.withdrawal_enter(
                    by=by, race_id=leg.race_id, number=number, source="Vet"
                )
                two_persons.confirm(proposal=entered.proposal.uuid, by=other)
                self.auditor.withdrawn(str(contest.pk), place, number)
                self.count("withdrawn")
        for _ in range(self.rng.randint(0, 6)):
            self.sale(contest, self._legs(contest), day)

    def _legs(self, contest: Contest) -> list[list[int]]:
        facts = self.auditor.meetings[str(contest.pk)]
        legs = []
        for race in facts.races:
            offered = [n for n in race.programme if n not in race.withdrawn]
            many = self.rng.choice((1, 1, 1, 2))
            legs.append(sorted(self.rng.sample(offered, min(many, len(offered)))))
        return legs

    def sale(self, contest: Contest, legs: list[list[int]], day: date) -> str:
        point = self.rng.choice(self.points)
        bets = 1
        for leg in legs:
            bets *= len(leg)
        request = SaleRequest(
            uuid.uuid4(), contest.pk, tuple(map(tuple, legs)), PRICE_CENTS, bets * PRICE_CENTS
        )
        sold = ticket_sell(credentials=point.credentials, request=request)
        if self.rng.random() < 0.05:  # the answer was lost: the terminal asks again
            sold = ticket_sell(credentials=point.credentials, request=request)
        ident = str(request.uuid)
        assert sold.code is not None
        self.papers[ident] = Paper(ident, sold.code.shown, point.premises.pk)
        self.auditor.sold(ident, str(contest.pk), str(point.premises.pk), legs, day)
        self.count("sold")
        return ident

    def _run(self, contest: Contest, day: date) -> None:
        by, other = factories.staff(Role.STEWARDS), factories.staff(Role.STEWARDS)
        organiser, second = factories.two_organisers()
        late = self.rng.random() < 0.1
        if late:
            postpone(contest, local(day, 17, 10))
        first = True
        facts = self.auditor.meetings[str(contest.pk)]
        for place, leg in enumerate(contest.legs.order_by("position").select_related("race")):
            started = max(leg.race.scheduled_start_at, clock.now())
            factories.time_to(started + timedelta(seconds=30))
            if first and late:
                self.sale(contest, self._legs(contest), day)
                self.count("late")
            start(leg.race, started, by=by, second=other)
            first = False
            race = facts.races[place]
            ran = [n for n in race.programme if n not in race.withdrawn]
            left = {self.rng.choice(ran)} if len(ran) > 2 and self.rng.random() < 0.05 else set()
            able = [n for n in ran if n not in left]
            heat = len(able) > 2 and self.rng.random() < 0.06
            winners = set(self.rng.sample(able, 2 if heat else 1))
            proposal = classification.classification_propose(
                by=by,
                race_id=leg.race_id,
                runners=entries(race.programme, race.withdrawn, left, winners),
                announced_text="Oficial",
                author="Comissaris",
                announced_at=clock.now(),
            )
            two_persons.confirm(proposal=proposal.uuid, by=other)
            self.auditor.classified(str(contest.pk), place, winners, left)
        if late:
            tasks.seal(contest.pk)
            proposal = breach.breach_void(by=organiser, contest_id=contest.pk)
            two_persons.confirm(proposal=proposal.uuid, by=second)
            for void in Void.objects.filter(proposal=proposal).select_related("ticket"):
                self.auditor.voided_in_breach(str(void.ticket.uuid), day)
                self._comes(str(void.ticket.uuid), day)

    def settle(self, contest: Contest) -> None:
        for pk in carry_overs_due():
            tasks.carry_over(pk)
        tasks.seal(contest.pk)
        if not tasks.settle(contest.pk):  # what lapsed is to be placed first
            self.night()
            assert tasks.settle(contest.pk)
            self.count("held up")
        expected = self.auditor.settles(str(contest.pk))
        contest.refresh_from_db()
        settlement = contest.settlements.get(in_force=True)
        rows = Prize.objects.filter(settlement=settlement, prize_cents__gt=0)
        prizes = {str(u): c for u, c in rows.values_list("ticket__uuid", "prize_cents")}
        assert prizes == expected, self.auditor.meetings[str(contest.pk)]
        for ident in prizes:
            self._comes(ident, contest.day)
        self.count("won", len(prizes))

    def _order(self, contest: Contest) -> None:
        first, second = factories.two_organisers()
        proposal = payment_order.payment_order_propose(by=first, contest_id=contest.pk)
        two_persons.confirm(proposal=proposal.uuid, by=second)
        order = PaymentOrder.objects.get(contest=contest)
        self.auditor.ordered(str(contest.pk), order.results_day, natural_day(order.ordered_at))


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


def begin(rng: Random, begins: date, *, premises: int = 5) -> World:
    """Make places, people and rules, on the eve of the season's first day."""
    factories.time_to(local(begins, 8))
    organiser = factories.staff(Role.ORGANISER)
    for since, percent in terms(begins).commission:
        commission_rate_record(
            by=organiser,
            game="lototrot",
            premises=None,
            percent=str(float(percent)),
            in_force_from=since,
            reference="Contract",
        )
    office = factories.premises(Premises.Kind.CENTRAL_OFFICE, authorised=())
    cashier = factories.staff(Role.CASHIER)
    session = cash_open(by=cashier, premises=office.code, float_cents=50_000_000)
    world = World(
        rng,
        begins,
        Auditor(terms(begins)),
        [factories.point() for _ in range(premises)],
        recorded(organiser, DOCUMENT, "CAIB 1/2030"),
        cashier,
        factories.staff(Role.CASHIER),
        f"payoffice:cash:{session.pk}",
    )
    world.auditor.float_given(world.session, 50_000_000)
    return world
