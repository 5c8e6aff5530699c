"""Make programmes, bet types and contests for tests."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache

from core.database import clock
from core.kernel.canonical import canonical_sha256
from core.kernel.days import natural_day
from core.kernel.regulation import shipped as shipped_figures
from core.ledger import services as ledger
from core.staff.models import Proposal, StaffSession
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import shipped
from lototrot.engine.jornada import meeting_end
from lototrot.models.contest import (
    BetType,
    Contest,
    ContestLeg,
    TicketModel,
)
from lototrot.models.programme import (
    FederationApproval,
    InternalBetList,
    Meeting,
    Race,
    Racecourse,
)
from lototrot.models.tickets import PrintConfirmation, Ticket
from lototrot.services.authority.bet_types import Wanted
from lototrot.services.contest.code_secrets import secret_make
from lototrot.services.contest.published_terms import opening_publish
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.tickets.layout import layout_digest
from lototrot.services.tickets.putting_on_sale import terms_named
from tests.support.factories.batches import NOW, Batch, one_transaction
from tests.support.factories.people import proposal, serial, somebody


def racecourse(code: str = "", timezone: str = "Europe/Madrid") -> Racecourse:
    alone = Batch()
    course = _racecourse(alone, code, timezone)
    alone.run()
    return course


def _racecourse(batch: Batch, code: str = "", timezone: str = "Europe/Madrid") -> Racecourse:
    code = code or f"R{next(serial)}-{secrets.token_hex(2)}"
    return batch.add(Racecourse, code=code, name=f"Hipòdrom {code}", timezone=timezone)


def race(
    of: Meeting,
    number: int,
    starts_at: datetime,
    *,
    numbers: Iterable[int] = range(1, 11),
    course: Racecourse,
) -> Race:
    """Return a race whose programme has the given numbers."""
    alone = Batch()
    new_race = alone.add(
        Race,
        meeting=of,
        racecourse=course,
        number=number,
        name=f"Premi {number}",
        scheduled_start_at=starts_at,
    )
    alone.then(_RUNNERS.format(races="r.id = currval('lototrot_race_id_seq')"), [list(numbers)])
    alone.run()
    return new_race


@one_transaction
def meeting(
    *,
    races: int = 7,
    numbers: Iterable[int] = range(1, 11),
    day: date | None = None,
    first_start_at: datetime | None = None,
    course: Racecourse | None = None,
    approved: bool = True,
    internal: Iterable[str] | None = (),
) -> Meeting:
    """Return a meeting whose races start every half hour, the first in two hours by default.

    It has begun already, so that a test may start its races at any time up to its end. `internal`
    has the codes of its internal bet types, or None without a list. One person
    records all of it.
    """
    now, by, together = clock.now(), somebody(), Batch()
    first_start_at = first_start_at or now + timedelta(hours=2)
    last_day = max(filter(None, (day, natural_day(first_start_at))))
    document = {"meeting": next(serial)}
    new_meeting = together.add(
        Meeting,
        day=day or natural_day(first_start_at),
        begins_at=min(now, first_start_at) - timedelta(days=1),
        ends_at=meeting_end(last_day, None, shipped_figures().in_force(last_day).lototrot.meeting),
        name="Reunió",
        imported_at=now,
        reference=f"PROG-{document['meeting']}-{secrets.token_hex(3)}",
        document=document,
        document_digest=canonical_sha256(dict(document)),
        imported_by_id=by.user_id,
        imported_in=by,
    )
    if approved:
        together.add(
            FederationApproval,
            meeting=new_meeting,
            approved_by="Federació Balear de Trot",
            approved_at=now,
            reference="FBT-1",
            recorded_by_id=by.user_id,
            recorded_in=by,
            recorded_at=now,
        )
    starts = [first_start_at + timedelta(minutes=30) * number for number in range(races)]
    _races_of_the_day(together, new_meeting, course, starts, tuple(numbers))
    if internal is not None:
        _internal_bets(together, new_meeting, internal, by)
    together.run()
    return new_meeting


def _races_of_the_day(
    batch: Batch,
    of: Meeting,
    course: Racecourse | None,
    starts: Sequence[datetime],
    field: Sequence[int],
) -> None:
    """Add the races of a meeting, at a new racecourse by default, and the runners of them all."""
    course = course or _racecourse(batch)
    for number, starts_at in enumerate(starts, start=1):
        batch.add(
            Race,
            meeting=of,
            racecourse=course,
            number=number,
            name=f"Premi {number}",
            scheduled_start_at=starts_at,
        )
    if starts:
        races = "r.meeting_id = currval('lototrot_meeting_id_seq')"
        batch.then(_RUNNERS.format(races=races), [list(field)])


# It took longest to send each runner by itself.
_RUNNERS = """
INSERT INTO lototrot_runner (race_id, number, name, driver, trainer, sex_age)
SELECT r.id, n, 'Cavall ' || r.number || '.' || n, '', '', ''
  FROM lototrot_race r CROSS JOIN unnest(%s::smallint[]) WITH ORDINALITY field (n, place)
 WHERE {races}
 ORDER BY r.id, place
"""


def internal_bets(of: Meeting, codes: Iterable[str]) -> InternalBetList:
    """Record the internal bet types of a meeting, said to be none if there is none [E16]."""
    alone = Batch()
    bets = _internal_bets(alone, of, codes, somebody())
    alone.run()
    return bets


def _internal_bets(
    batch: Batch, of: Meeting, codes: Iterable[str], by: StaffSession
) -> InternalBetList:
    types = [{"code": code, "name": code.title()} for code in codes]
    return batch.add(
        InternalBetList,
        meeting=of,
        types=types,
        none=not types,
        source="Hipòdrom",
        dated_on=date(2006, 1, 2),
        recorded_at=NOW,
        recorded_by_id=by.user_id,
        recorded_in=by,
    )


def bet_type(code: str = "lototrot", recorded_by_id: int | None = None) -> BetType:
    """Return a bet type that comes with the code (`lototrot`, `five-races`, `eight-races`), on
    record.
    """
    return bet_type_of(_shipped(code), recorded_by_id)


@cache
def _shipped(code: str) -> Rules:
    return shipped(code, minimum_prize_percent=Fraction(60))


@one_transaction
def bet_type_of(rules: Rules, recorded_by_id: int | None = None) -> BetType:
    """Put rules on record, by two persons unless they are the regulation's own bet type."""
    recorded_type: BetType | None = BetType.objects.filter(
        code=rules.code, version=rules.version
    ).first()
    if recorded_type is None:
        own = rules.code == "lototrot"
        recorded_type = BetType.objects.create(
            code=rules.code,
            version=rules.version,
            document=rules.to_document(),
            authorisation="CAIB 1/2006",
            recorded_at=clock.now(),
            recorded_by_id=recorded_by_id or somebody().user_id,
            proposal=None
            if own
            else proposal(
                "lototrot.bet_type",
                f"bet-type:{rules.code}",
                Wanted(rules, "CAIB 1/2006").to_document(),
            ),
        )
    return recorded_type


def ticket_model(recorded_by_id: int | None = None) -> TicketModel:
    """Return the ticket model of the tests, on record."""
    existing: TicketModel | None = TicketModel.objects.filter(code="roll-80", version=1).first()
    return existing or TicketModel.objects.create(
        code="roll-80",
        version=1,
        authorisation="CAIB 2/2006",
        authorised_on=date(2006, 1, 2),
        multiple=True,
        layout=layout_digest(),
        recorded_at=clock.now(),
        recorded_by_id=recorded_by_id or somebody().user_id,
    )


@one_transaction
def contest(
    of: Meeting | None = None,
    *,
    races: Sequence[Race] | None = None,
    kind: str = "lototrot",
    price_cents: int = 100,
    max_bets: int = 10_000,
    premises_cap_cents: int | None = None,
    correction_window_s: int = 0,
    closes_at: datetime | None = None,
    state: str = Contest.State.OPEN,
    rules: BetType | None = None,
) -> Contest:
    """Return a contest on the first races of a meeting (default: a new one), on sale or in draft.

    It closes at the start of its first race, or at `closes_at`. Its bet type is the shipped `kind`,
    or `rules` if that is given.
    """
    legs = int(rules.document["legs"]) if rules else _shipped(kind).legs
    of = of or (races[0].meeting if races else meeting(races=legs))
    author_id = of.imported_by_id
    rules = rules or bet_type(kind, author_id)
    chosen = list(races or of.races.order_by("scheduled_start_at", "number")[:legs])
    now, is_open = clock.now(), state == Contest.State.OPEN
    account = ledger.liability(f"lototrot:takings:{rules.code}:{of.day}")
    takings = ledger.account_open([account])[account.code]
    new_contest = Contest.objects.create(
        meeting=of,
        day=of.day,
        bet_type=rules,
        bet_type_code=rules.code,
        ticket_model=ticket_model(author_id),
        price_cents=price_cents,
        max_bets=max_bets,
        premises_cap_cents=premises_cap_cents,
        correction_window_s=correction_window_s,
        correction_approval="CAIB 3/2006" if correction_window_s else "",
        scheduled_close_at=closes_at or min(r.scheduled_start_at for r in chosen),
        state=Contest.State.DRAFT if is_open else state,
        code_secret=secret_make(takings_account=takings.pk),
        takings_account=takings,
        created_at=now,
        created_by_id=author_id,
    )
    ContestLeg.objects.bulk_create(
        ContestLeg(contest=new_contest, position=position, race=race)
        for position, race in enumerate(chosen, start=1)
    )
    if is_open:
        return contest_opened(new_contest, at=now)
    new_contest.refresh_from_db()
    return new_contest


def opening(of: Contest) -> Proposal:
    """Return the confirmed proposal by which a draft is put on sale with the terms that it has."""
    content = {"contest": of.pk, **terms_named(of)}
    return proposal("lototrot.contest_opening", f"contest:{of.pk}", content)


@one_transaction
def contest_opened(of: Contest, *, at: datetime | None = None) -> Contest:
    """Put a draft on sale as the services would."""
    Contest.objects.filter(pk=of.pk).update(
        state=Contest.State.OPEN, opened_at=at or clock.now(), opening=opening(of)
    )
    of.refresh_from_db()
    opening_publish(of)
    return of


def contest_closed(
    of: Contest,
    *,
    at: datetime | None = None,
    cause: str = Contest.Cause.ORGANISER,
    sealed: bool = True,
) -> Contest:
    """Close the contest as the services would, unless it is closed, and seal it by default."""
    Contest.objects.filter(pk=of.pk, closed_at=None).update(
        state=Contest.State.CLOSED,
        closed_at=at or clock.now(),
        closing_cause=cause,
        code_secret=None,
    )
    of.refresh_from_db()
    if sealed:
        contest_seal(contest_id=of.pk)
    return of


def prints_ended(of: Contest) -> None:
    """Confirm every print from the terminals, and let the time to print again pass [E11]."""
    now = clock.now()
    tickets = Ticket.objects.filter(contest=of, print_confirmation=None)
    PrintConfirmation.objects.bulk_create(
        PrintConfirmation(ticket_id=ticket, confirmed_at=now)
        for ticket in tickets.values_list("pk", flat=True)
    )
    Contest.objects.filter(pk=of.pk, closed_at__isnull=False).update(code_secret=None)


def races_of(of: Contest) -> list[Race]:
    """Return the races of a contest in the order of the ticket."""
    return [leg.race for leg in of.legs.select_related("race").order_by("position")]
