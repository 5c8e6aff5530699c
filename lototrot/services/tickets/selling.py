"""Sell tickets, and answer what a sale request led to (14.II, 14.III.1, 14.III.4)."""

import dataclasses
import datetime
import secrets
import uuid
from hashlib import sha256
from typing import Any

from django.conf import settings

from core.database import clock
from core.database.reading.asking import fetch_row
from core.journal.acting import acting
from core.kernel import codes
from core.kernel.canonical import Json, canonical_sha256
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.kernel.regulation import shipped
from core.ledger.models import Transfer
from core.premises.access import BareTerminal, TerminalActor, TerminalCredentials
from core.premises.requests import Answer, Sales, UuidReused
from lototrot.engine.closing import prints_end_at
from lototrot.engine.races import numbers_of
from lototrot.engine.selection import (
    Selection,
    WithdrawnNumber,
    WrongPrice,
    WrongRaceCount,
    select,
)
from lototrot.models.contest import Contest
from lototrot.models.tickets import REQUEST_DIGEST_BYTES, CodeGiven, Reprint, Ticket
from lototrot.selectors.contests import ContestUnknown
from lototrot.selectors.retired import need_all, need_none_left
from lototrot.services.contest.code_secrets import secret_read
from lototrot.services.contest.contests import ContestClosed, ContestNotOpen
from lototrot.services.contest.facts import ContestFacts, contest_facts

QUICK_PICK_TRIES = 5
PAPER_WITH_SALE = datetime.timedelta(minutes=1)
Road = CodeGiven.Road


class SalesStopped(Conflict):
    code = "sales_stopped"
    message = "Sales of the contest are stopped: a race may have started. Ask again [E12]."


class PremisesCapReached(Conflict):
    code = "premises_cap_reached"
    message = (
        "With this ticket these premises would sell more than the contest allows each premises."
    )


class WrongAmount(Invalid):
    code = "wrong_amount"
    message = "The amount must be the number of bets times the contest's price."


class MultipleNotAuthorised(Invalid):
    code = "multiple_not_authorised"
    message = "The authorised ticket model has single bets only (14.II.2)."


class QuickPickTooLong(Invalid):
    code = "quick_pick_too_long"
    message = "A quick pick asks for more numbers than the race has on sale."


class OperatorDiffers(Forbidden):
    code = "operator_differs"
    message = "The code of a ticket is given again only to the operator who sold it."


class TicketUnknown(NotFound):
    code = "ticket_unknown"
    message = "This terminal has sold no such ticket."


@dataclasses.dataclass(frozen=True, slots=True)
class QuickPick:
    """A leg for which the system draws `count` numbers."""

    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class Drawn:
    """A leg whose `numbers` the terminal drew and showed to the player before the sale."""

    numbers: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class SaleRequest:
    """A terminal's request, as the player confirmed it before paying (14.III.1.2)."""

    uuid: uuid.UUID
    contest_id: int
    races: tuple[tuple[int, ...] | QuickPick | Drawn, ...]
    price_cents: int
    amount_cents: int

    def digest(self) -> bytes:
        """Return 16 bytes of the SHA-256 of the content.

        They tell a replay from another request with the same UUID (docs/adr/0051).
        """
        races: list[Json] = [_content(race) for race in self.races]
        content: Json = [self.contest_id, races, self.price_cents, self.amount_cents]
        if all(type(race) is list for race in races):
            # Only whole numbers: Python shows them as canonical JSON does, except for the spaces.
            whole = sha256(str(content).replace(" ", "").encode()).digest()
        else:
            whole = canonical_sha256(content)
        return whole[:REQUEST_DIGEST_BYTES]


def _content(race: tuple[int, ...] | QuickPick | Drawn) -> Any:
    if isinstance(race, QuickPick):
        return {"quick_pick": race.count}
    return {"quick_pick": sorted(race.numbers)} if isinstance(race, Drawn) else sorted(race)


@dataclasses.dataclass(frozen=True, slots=True)
class Sold:
    """A registered ticket.

    `code` is None for good once the ticket is void, printed, or its contest closed. `given_again`
    counts how often the code was given after the sale.
    """

    uuid: uuid.UUID
    facts: ContestFacts
    terminal_id: int
    operator_id: int
    sold_at: datetime.datetime
    masks: tuple[int, ...]
    quick_legs: int
    bets: int
    amount_cents: int
    code: codes.Code | None
    replayed: bool
    given_again: int = 0


SALES = Sales(
    "lototrot",
    ContestUnknown,
    ContestNotOpen,
    ContestClosed,
    SalesStopped,
    PremisesCapReached,
    WithdrawnNumber,
    WrongRaceCount,
    WrongPrice,
    rest=(int | None,),
)


def ticket_sell(*, credentials: TerminalCredentials, request: SaleRequest) -> Sold:
    """Register a ticket. Return the first answer again to a replay of the same request.

    The engine (`lototrot.engine.selection`) raises errors of form. One SQL statement decides all
    that can change meanwhile, under the contest's lock, by the database's clock. TicketsArchived is
    raised in place of ContestClosed where the contest's tickets left with a retired month.
    """
    facts = contest_facts(request.contest_id)
    request_digest = request.digest()
    attempts = QUICK_PICK_TRIES if any(isinstance(r, QuickPick) for r in request.races) else 1
    for _ in range(attempts):
        selection, quick_legs = _selection(request, facts)
        code = _issue(request.uuid, facts)
        digest = settings.CODE_KEYS.digest(code) if code else bytes(codes.DIGEST_BYTES)
        commitment = settings.CODE_KEYS.commitment(code, request.uuid) if code else b""
        answer = SALES.sell(
            credentials,
            contest=request.contest_id,
            uuid=request.uuid,
            request=request_digest,
            legs=list(selection.masks),
            quick_legs=quick_legs,
            bets=selection.bets,
            amount=selection.amount_cents,
            code=digest,
            commitment=commitment,
        )
        if answer.outcome == "sold":
            return Sold(
                request.uuid,
                facts,
                answer.terminal_id,
                answer.operator_id,
                answer.sold_at,
                selection.masks,
                quick_legs,
                selection.bets,
                selection.amount_cents,
                code,
                replayed=False,
            )
        if answer.replayed:
            ticket = Ticket.objects.get(uuid=request.uuid)
            return sold_again(ticket, by=answer.operator_id, road=Road.REPLAY)
        leg = _leg_to_draw(request, answer)
    raise QuickPickTooLong(race=leg)


def _leg_to_draw(request: SaleRequest, answer: Answer) -> int:
    """Return the leg of a quick pick of which a number is withdrawn. Raise any other refusal."""
    (leg,) = answer.rest
    if leg is None:
        if answer.outcome == ContestClosed.code:
            need_all(request.contest_id)  # it may be the replay of a sale that was archived
        raise SALES.refusal(answer)
    if not isinstance(request.races[leg - 1], QuickPick):
        raise SALES.refusal(answer, race=leg)
    return int(leg)


def _selection(request: SaleRequest, facts: ContestFacts) -> tuple[Selection, int]:
    """Return the checked selection and the mask of the legs whose numbers were drawn."""
    numbers: list[tuple[int, ...]] = []
    quick_legs = 0
    offered: list[int] | None = None
    for index, leg in enumerate(request.races):
        if isinstance(leg, tuple):
            numbers.append(leg)
            continue
        quick_legs |= 1 << index
        if isinstance(leg, Drawn):
            numbers.append(leg.numbers)
            continue
        if offered is None:
            offered = Contest.objects.values_list("offered_masks", flat=True).get(pk=facts.pk)
        programme = facts.legs[index].programme_mask if index < len(facts.legs) else 0
        numbers.append(_draw(leg.count, offered[index] if programme else 0, programme))
    selection = select(numbers, request.price_cents, facts.terms())
    if selection.bets > 1 and not facts.allows_multiple:
        raise MultipleNotAuthorised
    if selection.amount_cents != request.amount_cents:
        raise WrongAmount(expected_cents=selection.amount_cents, given_cents=request.amount_cents)
    return selection, quick_legs


def _draw(count: int, offered_mask: int, programme_mask: int) -> tuple[int, ...]:
    """Return `count` different numbers on sale, drawn by the operating system's generator.

    If only the programme still has so many numbers, draw from it, withdrawn ones included. The
    database then refuses the sale, unless it is the replay of a sale from before the withdrawal.
    """
    offered, programme = numbers_of(offered_mask), numbers_of(programme_mask)
    if not 1 <= count <= len(programme):
        raise QuickPickTooLong(offered=len(offered))
    return tuple(
        secrets.SystemRandom().sample(offered if count <= len(offered) else programme, count)
    )


def _issue(ident: uuid.UUID, facts: ContestFacts) -> codes.Code | None:
    if not facts.secret:
        return None
    return codes.issue(codes.TICKET, ident, facts.secret, settings.CODE_KEYS, day=facts.day)


def sold_again(ticket: Ticket, *, by: int | None, road: Road | None) -> Sold:
    """Return a registered ticket, with its code if `by`, the operator signed on, may have it again.

    It is counted, by `road`; None stands for a marked copy, which has a row of its own.
    """
    code = code_of(ticket, by=by, replay=road in (Road.REPLAY, Road.PAPER))
    if code is not None and road is not None:
        _record_code_given(ticket, road)
    times_given = CodeGiven.objects.filter(ticket=ticket).count()
    return Sold(
        ticket.uuid,
        contest_facts(ticket.contest_id),
        ticket.terminal_id,
        ticket.operator_id,
        ticket.sold_at,
        ticket.legs(),
        ticket.quick_legs,
        ticket.bets,
        ticket.amount_cents,
        code,
        replayed=True,
        given_again=times_given + Reprint.objects.filter(ticket=ticket).count(),
    )


def _record_code_given(ticket: Ticket, road: Road) -> None:
    """Record that the code was given again. The paper of a sale goes with it for a minute."""
    now = clock.now()
    if road == Road.PAPER and now <= ticket.sold_at + PAPER_WITH_SALE:
        return
    with acting("lototrot.code_again", terminal=ticket.terminal_id, operator=ticket.operator_id):
        CodeGiven.objects.create(
            ticket=ticket, road=road, operator_id=ticket.operator_id, given_at=now
        )


_MAKER = """
SELECT c.code_secret, c.takings_account_id, c.day,
       coalesce(c.closed_at, c.scheduled_close_at), core_now(),
       EXISTS (SELECT FROM lototrot_printconfirmation WHERE ticket_id = %(ticket)s),
       core_on_disk()
  FROM lototrot_contest c
 WHERE c.id = %(contest)s AND c.code_secret IS NOT NULL
   AND NOT EXISTS (SELECT FROM lototrot_void WHERE ticket_id = %(ticket)s)
"""


def code_of(ticket: Ticket, *, by: int | None, replay: bool = False) -> codes.Code | None:
    """Return the code of a ticket to the operator who sold it, until its print is confirmed.

    That is while its contest is on sale, and to a `replay` of the sale for some minutes after the
    closing [E11]. The code of a void ticket is not given (*Codes*). Keys may have been rotated
    since, so try every version until the digest is the stored one. Return None otherwise.
    """
    if by != ticket.operator_id:
        return None
    row = fetch_row(_MAKER, {"contest": ticket.contest_id, "ticket": ticket.pk})
    if row is None:
        return None
    encrypted, account, day, ended_at, now, printed, _ = row
    if printed:
        return None
    if now >= ended_at:
        again_s = shipped().in_force(day).print_again_s
        if not replay or now >= prints_end_at(ended_at, again_s):
            return None
    secret = secret_read(bytes(encrypted), takings_account=account)
    for version in settings.CODE_KEYS.ring:
        code = codes.issue(codes.TICKET, ticket.uuid, secret, settings.CODE_KEYS, version, day=day)
        if settings.CODE_KEYS.digest(code) == bytes(ticket.code_digest):
            return code
    return None


def ticket_of_terminal(*, terminal: BareTerminal | TerminalActor, ident: uuid.UUID) -> Ticket:
    """Return a ticket that this terminal sold.

    Raise TicketUnknown, or DocumentArchived where tickets have left with their month.
    """
    ticket = Ticket.objects.filter(uuid=ident, terminal_id=terminal.terminal_id).first()
    if ticket is None:
        need_none_left()
        raise TicketUnknown
    return ticket


def _need_not_archived(ident: uuid.UUID) -> None:
    """Raise DocumentArchived if a ticket was sold with a UUID that is not among the tickets.

    Its transfer tells it, until that leaves with its month, too (docs/adr/0047).
    """
    sold = Transfer.objects.filter(reference=ident, kind="lototrot.sale")
    if sold.exists() and not Ticket.objects.filter(uuid=ident).exists():
        need_none_left()


def request_state(*, terminal: BareTerminal, ident: uuid.UUID) -> Sold | None:
    """Return the ticket sold with a UUID. If there is none, burn the UUID and return None.

    No sale can use a burnt UUID. Raise UuidReused if another terminal sold with it,
    DocumentArchived if a ticket was sold with it that left with its month, and RequestArchived
    where its transfer has left, too.
    """
    try:
        ticket_id = SALES.ticket_of(terminal=terminal, ident=ident)
    except UuidReused:
        _need_not_archived(ident)
        raise
    if ticket_id is None:
        return None
    ticket = Ticket.objects.get(pk=ticket_id)
    return sold_again(ticket, by=terminal.operator_id, road=Road.INQUIRY)
