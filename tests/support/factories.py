"""Rows to test on: people, places, programmes, contests, sales and what happened on the course.

Everything is written directly, as the services would leave it, so that a test of one service does
not depend on the others. Nothing here belongs to a fixture: call it under any database.
"""

import hashlib
import itertools
import secrets
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pyotp
from django.db import connection, transaction

from core.database import clock
from core.database.models import ClockOffset
from core.database.statements import call_function
from core.draws.manual import manual_propose
from core.draws.models import Draw
from core.draws.services import draw_announce, draw_attend, draw_certify
from core.kernel.canonical import canonical_sha256
from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.premises.access import BareTerminal, TerminalActor, TerminalCredentials
from core.premises.models import Authorisation, Game, Operator, OperatorSession, Premises, Terminal
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, StaffSession, User
from core.staff.powers import Role
from core.staff.second_factor import factor_begin, factor_confirm
from core.staff.services import actor_of, session_start, token_digest
from lototrot.engine.bet_type import shipped
from lototrot.engine.races import mask_of
from lototrot.models.contest import (
    BetType,
    Contest,
    ContestLeg,
    DisplayAcknowledgement,
    TicketModel,
)
from lototrot.models.programme import FederationApproval, Meeting, Race, Racecourse, Runner
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.selectors import draws
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.seal.sealing import contest_seal

_serial = itertools.count(1)
_APPOINTMENT = "Resolució d'inspecció 1"


# --- Time -----------------------------------------------------------------------------------------


def time_to(instant: datetime) -> datetime:
    """Set the simulated clock; tests may also set it back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        real = cursor.fetchone()[0]
    ClockOffset.objects.create(offset=instant - real, reason="test")
    return instant


def time_pass(**length: float) -> datetime:
    """Let simulated time go by: `time_pass(minutes=5)`."""
    return time_to(clock.now() + timedelta(**length))


# --- People ---------------------------------------------------------------------------------------


def staff(*roles: Role, name: str = "") -> StaffActor:
    """A member of staff with the roles, signed on. The password is unusable, hence cheap."""
    user = User.objects.create(
        username=name or f"staff-{next(_serial)}-{secrets.token_hex(3)}",
        full_name=name or "Member of Staff",
        password="!",
        roles=[str(role) for role in roles],
        appointment=_APPOINTMENT if Role.INSPECTOR in roles else "",
        created_at=clock.now(),
    )
    return actor_of(session_start(user=user, verified=True)[0])


def second_factor(user: User) -> str:
    """Give the user a confirmed device; its secret."""
    by = actor_of(session_start(user=user)[0])
    secret = factor_begin(by=by).secret
    time_pass(seconds=-60)  # so that the code spent here is none of the test's
    factor_confirm(by=by, code=pyotp.TOTP(secret).at(clock.now()))
    time_pass(seconds=60)
    return secret


def one_time_code(secret: str) -> str:
    return pyotp.TOTP(secret).at(clock.now())


def another_session(actor: StaffActor) -> StaffActor:
    """The same person, signed on a second time."""
    return signed_on(User.objects.get(pk=actor.user_id))


def signed_on(user: User) -> StaffActor:
    """Somebody who has an account, signed on once more."""
    return actor_of(session_start(user=user, verified=True)[0])


def two_stewards() -> tuple[StaffActor, StaffActor]:
    return staff(Role.STEWARDS), staff(Role.STEWARDS)


def two_organisers() -> tuple[StaffActor, StaffActor]:
    return staff(Role.ORGANISER), staff(Role.ORGANISER)


def _somebody() -> StaffSession:
    return StaffSession.objects.get(pk=staff(Role.ORGANISER).session_id)


@transaction.atomic
def proposal(kind: str = "test", subject: str = "test", content: Any = None) -> Proposal:
    """A proposal that two people made and confirmed."""
    first, second = _somebody(), _somebody()
    made = Proposal.objects.create(
        kind=kind,
        subject=subject,
        content=content or {},
        proposed_at=clock.now(),
        content_digest=canonical_sha256(content or {}),
        proposed_by_id=first.user_id,
        proposed_in=first,
    )
    Decision.objects.create(
        proposal=made,
        verdict=Decision.Verdict.CONFIRMED,
        decided_by_id=second.user_id,
        decided_in=second,
        decided_at=clock.now(),
    )
    return made


# --- Places ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Point:
    """A terminal of premises with an operator signed on."""

    premises: Premises
    terminal: Terminal
    operator: Operator
    session: OperatorSession
    token: str
    session_token: str

    @property
    def credentials(self) -> TerminalCredentials:
        return TerminalCredentials.of(self.token, self.session_token)

    @property
    def bare(self) -> BareTerminal:
        return BareTerminal(self.terminal.pk, self.premises.pk, self.premises.kind)

    @property
    def actor(self) -> TerminalActor:
        return TerminalActor(
            self.terminal.pk,
            self.premises.pk,
            self.premises.kind,
            self.operator.pk,
            self.session.pk,
        )


def premises(
    kind: str = Premises.Kind.ESTABLISHMENT,
    *,
    authorised: Iterable[str] = tuple(Game),
    since: datetime | None = None,
    until: datetime | None = None,
) -> Premises:
    """Premises with an account, authorised for the games from a year ago unless told otherwise."""
    number, now, by = next(_serial), clock.now(), _somebody()
    place = Premises.objects.create(
        code=f"P{number}-{secrets.token_hex(2)}",
        name=f"Bar {number}",
        kind=kind,
        address="Carrer Major 1",
        municipality="Palma",
        created_at=now,
        created_by_id=by.user_id,
    )
    ledger.account_open([ledger.premises_account(place.pk)])
    for game in authorised:
        Authorisation.objects.create(
            premises=place,
            game=game,
            valid_from=since or now - timedelta(days=365),
            valid_until=until,
            reference=f"AUT-{number}",
            recorded_by_id=by.user_id,
            recorded_at=now,
        )
    return place


def point(place: Premises | None = None) -> Point:
    """An enrolled terminal with an operator signed on, at new premises unless given."""
    place = place or premises()
    number, now = next(_serial), clock.now()
    token, session_token = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    terminal = Terminal.objects.create(
        code=f"T{number}-{secrets.token_hex(2)}",
        premises=place,
        token_digest=token_digest(token),
        enrolled_at=now,
        created_at=now,
        created_by_id=place.created_by_id,
    )
    operator = Operator.objects.create(
        premises=place,
        number=number,
        name=f"Operator {number}",
        pin="!",
        created_at=now,
        created_by_id=place.created_by_id,
    )
    session = OperatorSession.objects.create(
        terminal=terminal,
        operator=operator,
        token_digest=token_digest(session_token),
        started_at=now,
        expires_at=now + timedelta(days=30),
    )
    return Point(place, terminal, operator, session, token, session_token)


def operator_at(of: Point) -> str:
    """Another operator signed on at the same terminal; the token of their session."""
    now, number, token = clock.now(), next(_serial), secrets.token_urlsafe(32)
    operator = Operator.objects.create(
        premises=of.premises,
        number=number,
        name=f"Operator {number}",
        pin="!",
        created_at=now,
        created_by_id=of.premises.created_by_id,
    )
    OperatorSession.objects.create(
        terminal=of.terminal,
        operator=operator,
        token_digest=token_digest(token),
        started_at=now,
        expires_at=now + timedelta(days=30),
    )
    return token


# --- Programme ------------------------------------------------------------------------------------


def racecourse(code: str = "", timezone: str = "Europe/Madrid") -> Racecourse:
    code = code or f"R{next(_serial)}-{secrets.token_hex(2)}"
    return Racecourse.objects.create(code=code, name=f"Hipòdrom {code}", timezone=timezone)


@transaction.atomic
def race(
    of: Meeting,
    number: int,
    starts_at: datetime,
    *,
    numbers: Iterable[int] = range(1, 11),
    course: Racecourse,
) -> Race:
    """A race whose programme has the given numbers."""
    made = Race.objects.create(
        meeting=of,
        racecourse=course,
        number=number,
        name=f"Premi {number}",
        scheduled_start_at=starts_at,
    )
    Runner.objects.bulk_create(
        Runner(race=made, number=n, name=f"Cavall {number}.{n}") for n in numbers
    )
    return made


@transaction.atomic
def meeting(
    *,
    races: int = 7,
    numbers: Iterable[int] = range(1, 11),
    day: date | None = None,
    first_start_at: datetime | None = None,
    course: Racecourse | None = None,
    approved: bool = True,
) -> Meeting:
    """A meeting whose races start every half hour, the first in two hours unless told otherwise."""
    now, by, numbers = clock.now(), _somebody(), tuple(numbers)
    first_start_at = first_start_at or now + timedelta(hours=2)
    document = {"meeting": next(_serial)}
    made = Meeting.objects.create(
        day=day or natural_day(first_start_at),
        name="Reunió",
        imported_at=now,
        reference=f"PROG-{document['meeting']}-{secrets.token_hex(3)}",
        document=document,
        document_digest=canonical_sha256(dict(document)),
        imported_by_id=by.user_id,
        imported_in=by,
    )
    if approved:
        FederationApproval.objects.create(
            meeting=made,
            approved_by="Federació Balear de Trot",
            approved_at=now,
            reference="FBT-1",
            recorded_by_id=by.user_id,
            recorded_in=by,
            recorded_at=now,
        )
    course = course or racecourse()
    for number in range(1, races + 1):
        starts_at = first_start_at + timedelta(minutes=30) * (number - 1)
        race(made, number, starts_at, numbers=numbers, course=course)
    return made


# --- Contest --------------------------------------------------------------------------------------


def bet_type(code: str = "lototrot") -> BetType:
    """A bet type as shipped with the code (`lototrot`, `five-races`, `eight-races`), on record."""
    by = _somebody()
    document = shipped(code, minimum_prize_percent=Fraction(60)).to_document()
    found: BetType
    found, _ = BetType.objects.get_or_create(
        code=document["code"],
        version=document["version"],
        defaults={
            "document": document,
            "authorisation": "CAIB 1/2006",
            "recorded_at": clock.now(),
            "recorded_by_id": by.user_id,
        },
    )
    return found


def ticket_model() -> TicketModel:
    found: TicketModel
    found, _ = TicketModel.objects.get_or_create(
        code="roll-80",
        version=1,
        defaults={
            "authorisation": "CAIB 2/2006",
            "authorised_on": date(2006, 1, 2),
            "multiple": True,
            "recorded_at": clock.now(),
            "recorded_by_id": _somebody().user_id,
        },
    )
    return found


@transaction.atomic
def contest(
    of: Meeting | None = None,
    *,
    races: Sequence[Race] | None = None,
    kind: str = "lototrot",
    price_cents: int = 100,
    max_bets: int = 10_000,
    correction_window_s: int = 0,
    closes_at: datetime | None = None,
    state: str = Contest.State.OPEN,
    rules: BetType | None = None,
) -> Contest:
    """A contest on the first races of a meeting (a new one unless given), on sale or in draft.

    It closes when its first race is to start unless `closes_at` says otherwise. Its bet type is
    the one shipped as `kind`, unless `rules` is another on record.
    """
    rules = rules or bet_type(kind)
    legs = int(rules.document["legs"])
    of = of or (races[0].meeting if races else meeting(races=legs))
    chosen = list(races or of.races.order_by("scheduled_start_at", "number")[:legs])
    now, is_open = clock.now(), state == Contest.State.OPEN
    account = ledger.liability(f"lototrot:takings:{rules.code}:{of.day}")
    made = Contest.objects.create(
        meeting=of,
        day=of.day,
        bet_type=rules,
        bet_type_code=rules.code,
        ticket_model=ticket_model(),
        price_cents=price_cents,
        max_bets=max_bets,
        correction_window_s=correction_window_s,
        correction_approval="CAIB 3/2006" if correction_window_s else "",
        scheduled_close_at=closes_at or min(r.scheduled_start_at for r in chosen),
        state=state,
        opened_at=now if is_open else None,
        offered_masks=[mask_of(r.runners.values_list("number", flat=True)) for r in chosen],
        code_secret=secrets.token_bytes(32),
        takings_account=ledger.account_open([account])[account.code],
        created_at=now,
        created_by_id=_somebody().user_id,
    )
    ContestLeg.objects.bulk_create(
        ContestLeg(contest=made, position=position, race=each)
        for position, each in enumerate(chosen, start=1)
    )
    return made


def contest_closed(
    of: Contest,
    *,
    at: datetime | None = None,
    cause: str = Contest.Cause.ORGANISER,
    sealed: bool = True,
) -> Contest:
    """Close it, as the services would, and seal it unless told otherwise."""
    Contest.objects.filter(pk=of.pk).update(
        state=Contest.State.CLOSED,
        closed_at=at or clock.now(),
        closing_cause=cause,
        code_secret=None,
    )
    of.refresh_from_db()
    if sealed:
        contest_seal(contest_id=of.pk)
    return of


def races_of(of: Contest) -> list[Race]:
    """The races of a contest, in the order of the ticket."""
    return [leg.race for leg in of.legs.select_related("race").order_by("position")]


# --- Sales ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sale:
    """What `lototrot_sell` answered."""

    outcome: str
    ticket_id: int | None
    sold_at: datetime | None
    leg: int | None
    uuid: uuid.UUID


def acknowledge(of: Contest, at: Point) -> None:
    """The operator declares that the programme is on display."""
    DisplayAcknowledgement.objects.get_or_create(
        contest=of,
        terminal=at.terminal,
        operator=at.operator,
        defaults={"acknowledged_at": clock.now()},
    )


def sell(
    of: Contest,
    at: Point,
    numbers: Sequence[Iterable[int]] | None = None,
    *,
    request: uuid.UUID | None = None,
    acknowledged: bool = True,
) -> Sale:
    """Sell a ticket by `lototrot_sell`: number 1 in every race unless `numbers` says otherwise."""
    if acknowledged:
        acknowledge(of, at)
    request = request or uuid.uuid4()
    marked = [tuple(each) for each in numbers or [(1,)] * len(of.offered_masks)]
    bets = 1
    for each in marked:
        bets *= len(each)
    outcome, ticket_id, sold_at, _, _, leg = call_function(
        "lototrot_sell",
        token=token_digest(at.token),
        session=token_digest(at.session_token),
        contest=of.pk,
        uuid=request,
        request=hashlib.sha256(repr(marked).encode()).digest(),
        legs=[mask_of(each) for each in marked],
        quick_legs=0,
        bets=bets,
        amount=bets * of.price_cents,
        code=secrets.token_bytes(16),
        commitment=secrets.token_bytes(32),
    )
    return Sale(outcome, ticket_id, sold_at, leg, uuid=request)


# --- The course -----------------------------------------------------------------------------------


def withdrawal(of: Race, number: int, *, confirmed: bool = True) -> Withdrawal:
    """A standing withdrawal; the contests' offered numbers are not touched."""
    by, now = _somebody(), clock.now()
    return Withdrawal.objects.create(
        race=of,
        number=number,
        effective_at=now,
        source="Stewards",
        entered_at=now,
        entered_by_id=by.user_id,
        entered_in=by,
        confirmed_at=now if confirmed else None,
        proposal=proposal("lototrot.withdrawal", f"race:{of.pk}:{number}"),
    )


def started(of: Race, *, at: datetime | None = None) -> RaceStart:
    """The race's actual start, now unless given."""
    by, now = _somebody(), clock.now()
    return RaceStart.objects.create(
        race=of,
        actual_start_at=at or now,
        source="Starter",
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in=by,
    )


def declared(of: Race, kind: str = RaceDeclaration.Kind.NOT_RUN) -> RaceDeclaration:
    """A standing declaration that the race gave no classification."""
    by, now = _somebody(), clock.now()
    return RaceDeclaration.objects.create(
        race=of,
        kind=kind,
        reason="Storm",
        declared_at=now,
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in=by,
    )


@transaction.atomic
def drawn(of: Race, winner: int) -> Draw:
    """The certified draw of a declared race: balls that two persons entered, the winner first."""
    for on_it in Contest.objects.filter(legs__race=of).exclude(state=Contest.State.DRAFT):
        if on_it.state == Contest.State.OPEN:
            contest_closed(on_it, sealed=False)
        contest_seal(contest_id=on_it.pk)
    one, two = two_organisers()
    inspector, subject = staff(Role.INSPECTOR), draws.subject_of(of.pk)
    draw = draw_announce(by=one, kind=RACE_DRAW, subject=subject, place="Oficina Central")
    balls = sorted(RACE_DRAW.field(subject).entries, key=lambda each: each != str(winner))
    assert balls[0] == str(winner)
    entered = manual_propose(
        by=one,
        draw=draw.uuid,
        order=balls,
        drawn_at=clock.now(),
        place="Oficina Central",
        witness="Notary",
        cause="Test",
    )
    two_persons.confirm(proposal=entered.uuid, by=two)
    draw_attend(by=inspector, draw=draw.uuid)
    draw_certify(by=inspector, draw=draw.uuid)
    draw.refresh_from_db()
    return draw


def classified(
    of: Race,
    winners: Iterable[int],
    *,
    left: Mapping[int, str] | None = None,
    disqualified: Iterable[int] = (),
    start: bool = True,
    announced_at: datetime | None = None,
) -> Classification:
    """A classification in force (and the start before it, unless told otherwise).

    The standing withdrawals are withdrawn in it; `left` gives the ruling of each number [B5].
    """
    if start and not of.starts.exists():
        started(of)
    out = set(of.withdrawals.filter(reversed_at=None).values_list("number", flat=True))
    rulings, won, bad = dict(left or {}), set(winners), set(disqualified)
    runners = []
    for number in of.runners.order_by("number").values_list("number", flat=True):
        outcome = (
            "winner"
            if number in won
            else "withdrawn"
            if number in out
            else "left"
            if number in rulings
            else "disqualified"
            if number in bad
            else "started"
        )
        runners.append(
            {
                "number": number,
                "outcome": outcome,
                "place": 1 if outcome == "winner" else None,
                "ruling": rulings.get(number, ""),
            }
        )
    now = clock.now()
    return Classification.objects.create(
        race=of,
        runners=runners,
        announced_text="Classificació oficial",
        announced_at=announced_at or now,
        author="Comissaris",
        confirmed_at=now,
        proposal=proposal("lototrot.classification", f"race:{of.pk}"),
    )
