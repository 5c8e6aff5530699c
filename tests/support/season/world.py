"""Run the operator's side of a season through the real services, and tell the auditor
everything.
"""

import secrets
import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from core.database import clock
from core.kernel.days import MADRID, natural_day
from core.ledger.services import Balance, balances
from core.nights.services import last_day, night_run
from core.payoffice.services import deposits, desk, paying, presenting
from core.payoffice.services.cash import cash_open
from core.payoffice.services.deposits import DepositRequest
from core.payoffice.services.paying import PayRequest
from core.premises.models import OperatorSession, Premises
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.services import token_digest
from core.statements.models import Statement
from core.statements.services import commission_rate_record, outstanding_cents, statement_settle
from lototrot import tasks
from lototrot.models.contest import BetType, Contest
from lototrot.models.settlement import PaymentOrder, Prize
from lototrot.models.tickets import Void
from lototrot.services.contest import contests
from lototrot.services.contest.closing import schedule_move
from lototrot.services.prizes.carry_over import carry_overs_due
from lototrot.services.races import classification, starts, withdrawals
from lototrot.services.races.classification import Entry
from lototrot.services.settlement import breach, payment_order
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support import paying as given
from tests.support.factories import Point
from tests.support.season.auditor import Auditor, Terms

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
class World:
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

    # --- A meeting, from its programme to the payment order ---------------------------------------

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
        contest = contests.contest_create(
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
        made = ticket_sell(credentials=point.credentials, request=request)
        if self.rng.random() < 0.05:  # the answer was lost: the terminal asks again
            made = ticket_sell(credentials=point.credentials, request=request)
        ident = str(request.uuid)
        assert made.code is not None
        self.papers[ident] = Paper(ident, made.code.shown, point.premises.pk)
        self.auditor.sold(ident, str(contest.pk), str(point.premises.pk), legs, day)
        self.count("sold")
        return ident

    def _run(self, contest: Contest, day: date) -> None:
        by, other = factories.staff(Role.STEWARDS), factories.staff(Role.STEWARDS)
        organiser, second = factories.two_organisers()
        late = self.rng.random() < 0.1
        if late:
            schedule_move(by=organiser, contest_id=contest.pk, to_at=local(day, 17, 10))
        first = True
        facts = self.auditor.meetings[str(contest.pk)]
        for place, leg in enumerate(contest.legs.order_by("position").select_related("race")):
            started = max(leg.race.scheduled_start_at, clock.now())
            factories.time_to(started + timedelta(seconds=30))
            if first and late:
                self.sale(contest, self._legs(contest), day)
                self.count("late")
            starts.start_record(
                by=by, race_id=leg.race_id, actual_start_at=started, source="Starter"
            )
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
        found = {str(u): c for u, c in rows.values_list("ticket__uuid", "prize_cents")}
        assert found == expected, self.auditor.meetings[str(contest.pk)]
        for ident in found:
            self._comes(ident, contest.day)
        self.count("won", len(found))

    def _comes(self, ident: str, day: date) -> None:
        """Return the day on which the player will come: soon, a month later, too late, or never."""
        if self.rng.random() < 0.75:
            self.due.append((day + timedelta(days=self.rng.choice((1, 1, 2, 3, 8, 29, 30))), ident))

    def _order(self, contest: Contest) -> None:
        first, second = factories.two_organisers()
        proposal = payment_order.payment_order_propose(by=first, contest_id=contest.pk)
        two_persons.confirm(proposal=proposal.uuid, by=second)
        order = PaymentOrder.objects.get(contest=contest)
        self.auditor.ordered(str(contest.pk), order.results_day)

    # --- The prize office -------------------------------------------------------------------------

    def claims(self, day: date) -> None:
        """Serve the players who come today."""
        at(day, 9)
        self._sign_on()
        today = [ident for when, ident in self.due if when <= day]
        self.due = [(when, ident) for when, ident in self.due if when > day]
        for ident in today:
            self._claim(ident, day)
        for when, ident, deposit in list(self.deposited):
            if when < day:
                self.deposited.remove((when, ident, deposit))
                self._rule(ident, deposit, day)

    def _claim(self, ident: str, day: date) -> None:
        ticket, chance = self.auditor.tickets[ident], self.rng.random()
        point = self.rng.choice(self.points)
        if ticket.state == "refund" or chance < 0.85:
            self.pay(ident)
        elif chance < 0.93:
            deposit = uuid.uuid4()
            deposits.deposit_take(
                at=point.actor,
                request=DepositRequest(deposit, "damaged", "torn", code=self.papers[ident].code),
            )
            self.auditor.deposited(ident)
            last = self.auditor.meetings[ticket.contest].last_claim_day
            assert last is not None
            self.deposited.append((last, ident, deposit))
            self.count("deposited")
        else:
            presenting.presentation_make(at=point.actor, code=self.papers[ident].code)
            self.auditor.presented(ident)
            self.due.append((day + timedelta(days=self.rng.choice((1, 40))), ident))
            self.count("presented")

    def pay(self, ident: str, deposit: uuid.UUID | None = None) -> None:
        ticket, day = self.auditor.tickets[ident], natural_day(clock.now())
        cents = ticket.cents if ticket.state == "refund" else ticket.prize_cents
        asked: dict[str, Any] = {"uuid": uuid.uuid4(), "amount_cents": cents, "intact": True}
        asked |= {"deposit": deposit} if deposit else {"code": self.papers[ident].code}
        if cents < 30_000 and self.rng.random() < 0.8:
            point = self.rng.choice(self.points)
            request = PayRequest(**asked)
            paying.payment_make(at=point.actor, request=request)
            if self.rng.random() < 0.1:
                paying.payment_make(at=point.actor, request=request)
            self.auditor.paid(ident, f"premises:{point.premises.pk}", day)
        else:
            by_cheque = cents > 100_000
            request = PayRequest(**asked, payee=given.MARIA if by_cheque else None)
            made = desk.desk_pay(by=self.cashier, request=request)
            if isinstance(made, Proposal):
                two_persons.confirm(proposal=made.uuid, by=self.second)
            self.auditor.paid(ident, "cheques" if by_cheque else self.session, day)
        self.count("paid")

    def _rule(self, ident: str, deposit: uuid.UUID, day: date) -> None:
        first, second = factories.staff(Role.SUPERVISOR), factories.staff(Role.SUPERVISOR)
        granted = self.rng.random() < 0.5
        proposal = deposits.ruling_propose(
            by=first, deposit=deposit, reason="Checked", verdict="granted" if granted else "refused"
        )
        two_persons.confirm(proposal=proposal.uuid, by=second)
        if granted:
            self.auditor.granted(ident)
            self.pay(ident, deposit)
        else:
            self.auditor.refused(ident, day)
            self.count("refused")

    # --- Nights and weeks -------------------------------------------------------------------------

    def night(self) -> None:
        """Run the nights that are due, and the auditor's nights."""
        runs = night_run()
        failed = [(run.job, run.error) for run in runs if run.state != "done"]
        assert not failed, failed
        self.audit_nights()

    def audit_nights(self) -> None:
        """Let the auditor run its nights up to the last day that ended."""
        day = getattr(self, "_audited", self.begins - timedelta(days=1))
        while day < last_day():
            day += timedelta(days=1)
            self.auditor.night(day)
        self._audited = day

    def remit(self) -> None:
        """Let some premises pay their last statement."""
        by = factories.staff(Role.ORGANISER)
        for point in self.points:
            last = Statement.objects.filter(premises=point.premises).order_by("-number").first()
            owed = outstanding_cents(last) if last else 0
            if last is None or owed == 0 or self.rng.random() < 0.3:
                continue
            cents = owed if abs(owed) < 3 or self.rng.random() < 0.8 else owed // 2
            statement_settle(
                by=by,
                statement=last.uuid,
                amount_cents=cents,
                paid_on=last.week_to,
                reference=f"TRF {secrets.token_hex(4)}",
            )
            self.auditor.remitted(str(point.premises.pk), cents, natural_day(clock.now()))
            self.count("remitted")

    # --- Comparing --------------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare every account of the system with the auditor's books, to the cent."""
        books, found = self.auditor.books, self._found()
        expected: dict[str, int] = {}
        for name, cents in books.items():
            expected[name] = expected.get(name, 0) + cents
        expected["lapsing"] = sum(self.auditor.carried_over.values())
        differing = {
            name: (found.get(name, 0), expected.get(name, 0))
            for name in sorted({*found, *expected})
            if found.get(name, 0) != expected.get(name, 0)
        }
        assert not differing, f"account: (system, auditor): {differing}"

    def _found(self) -> dict[str, int]:
        """The system's balances under the auditor's names; what lapsed and is to be won in one."""
        takings = dict(Contest.objects.values_list("takings_account__code", "pk").order_by("pk"))
        found: dict[str, int] = {}
        for balance in balances():
            name = self._name(balance, takings)
            found[name] = found.get(name, 0) + balance.cents
        return found

    @staticmethod
    def _name(balance: Balance, takings: dict[str, int]) -> str:
        code = balance.code
        if code in takings:
            return f"takings:{takings[code]}"
        if code.startswith("premises:"):
            return code
        parts = code.split(":")
        match parts:
            case ["lototrot", "contest", contest, "lapsed"]:
                return "lapsing" if contest else code
            case ["lototrot", "contest", contest, what]:
                return f"{what}:{contest}"
            case ["lototrot", "season", "carry_over", _]:
                return "lapsing"
            case ["lototrot", "season", fund]:
                return fund
            case ["lototrot", "organiser", part]:
                return f"organiser:{part}"
            case ["payoffice", "cheques"]:
                return "cheques"
            case _:
                return code

    def count(self, name: str, many: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + many

    def _sign_on(self) -> None:
        """Sign operators on again, because their sessions end after some days."""
        now = clock.now()
        if self.points[0].session.expires_at > now + timedelta(days=1):
            return
        self.points = [_signed_on(point) for point in self.points]


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


def local(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=MADRID).astimezone(UTC)


def at(day: date, hour: int, minute: int = 0) -> None:
    """Move time to that hour, unless it is later already."""
    factories.time_to(max(local(day, hour, minute), clock.now()))


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
        contests.bet_type_record(by=organiser, document=DOCUMENT, authorisation="CAIB 1/2030"),
        cashier,
        factories.staff(Role.CASHIER),
        f"payoffice:cash:{session.pk}",
    )
    world.auditor.float_given(world.session, 50_000_000)
    return world
