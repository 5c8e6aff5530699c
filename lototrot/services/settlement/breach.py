"""Find bets registered in breach, and undo all of a contest together (14.I.6) [C6, E3].

A bet is in breach when it was sold at or after the actual first start, or the declaration that a
race is not run, or by premises or a terminal without authorisation at that instant. Starts and
authorisations may be recorded or corrected later, so the set is queried each time. The rows of the
tickets voided or blocked are the sub-ledger of one transfer per act.
"""

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.ledger import services as ledger
from core.ledger.models import Account
from core.premises.models import Game
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import postings, powers
from lototrot.models.contest import Contest
from lototrot.selectors.races import contest_limit
from lototrot.services.contest.contests import contest_get
from lototrot.services.seal.sealing import need_sealed, seal_amend

_GAME = {"game": Game.LOTOTROT.value}


class BreachLimitUnknown(Conflict):
    code = "breach_limit_unknown"
    message = "The contest has no recorded start, and none of its races is declared not run."


class NoBreach(Conflict):
    code = "no_breach"
    message = "No bet of the contest is in breach."


class BreachNotNow(Conflict):
    code = "breach_not_now"
    message = "Bets in breach are voided before settlement and blocked after the payment order."


class BreachChanged(Conflict):
    code = "breach_changed"
    message = "The bets in breach have changed since the proposal. Propose the new set."


@dataclass(frozen=True, slots=True)
class Breach:
    """A ticket in breach.

    Reasons: after_limit, premises_not_authorised, terminal_revoked, or several.
    """

    ticket_id: int
    uuid: UUID
    sold_at: datetime
    premises: str
    terminal: str
    bets: int
    amount_cents: int
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class BreachSet:
    """All tickets of a contest in breach.

    `digest` is the SHA-256 over their ids in order, in hex.
    """

    tickets: int
    bets: int
    amount_cents: int
    digest: str


# Only tickets sold too late, or at a terminal that was not authorised during all of the sale, are
# examined one by one. If sales ended before the limit, no ticket can be too late.
_BREACHES = """
WITH suspect AS (
    SELECT m.id FROM premises_terminal m
     WHERE m.revoked_at <= %(closed_at)s::timestamptz OR NOT EXISTS (
        SELECT FROM premises_authorisation a
         WHERE a.premises_id = m.premises_id AND a.game = %(game)s
           AND a.valid_from <= %(opened_at)s::timestamptz
           AND (a.valid_until IS NULL OR a.valid_until >= %(closed_at)s::timestamptz))
), examined AS (
    SELECT t.* FROM lototrot_ticket t
     WHERE t.contest_id = %(contest)s AND t.sold_at >= %(limit)s::timestamptz
       AND %(limit)s::timestamptz <= %(closed_at)s::timestamptz
     UNION ALL
    SELECT t.* FROM suspect s JOIN lototrot_ticket t ON t.terminal_id = s.id
     WHERE t.contest_id = %(contest)s
       AND (t.sold_at >= %(limit)s::timestamptz) IS NOT TRUE
), found AS (
    SELECT t.*, array_remove(ARRAY[
        CASE WHEN t.sold_at >= %(limit)s::timestamptz THEN 'after_limit' END,
        CASE WHEN NOT EXISTS (
            SELECT FROM premises_authorisation a
             WHERE a.premises_id = t.premises_id AND a.game = %(game)s
               AND a.valid_from <= t.sold_at
               AND (a.valid_until IS NULL OR a.valid_until > t.sold_at))
            THEN 'premises_not_authorised' END,
        CASE WHEN EXISTS (
            SELECT FROM premises_terminal m
             WHERE m.id = t.terminal_id AND m.revoked_at <= t.sold_at)
            THEN 'terminal_revoked' END], NULL) AS reasons
      FROM examined t
     WHERE NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)
       AND NOT EXISTS (SELECT FROM lototrot_block b WHERE b.ticket_id = t.id)
       AND NOT EXISTS (
        SELECT FROM payoffice_claim c WHERE c.game = %(game)s AND c.document_id = t.id
           AND c.state NOT IN ('presented', 'held'))
), breach AS NOT MATERIALIZED (SELECT * FROM found WHERE cardinality(reasons) > 0)
"""

# Open a held claim for each blocked ticket. The money of presented tickets is held already.
_HOLD = """
WITH held AS (
    INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at)
    SELECT %(game)s, b.ticket_id, 'held', b.prize_cents, %(now)s FROM lototrot_block b
     WHERE b.proposal_id = %(proposal)s AND b.prize_cents > 0
    ON CONFLICT DO NOTHING RETURNING amount_cents)
SELECT coalesce(sum(amount_cents), 0)::bigint FROM held
"""
_HOLD_PRESENTED = """
UPDATE payoffice_claim c SET state = 'held', changed_at = %(now)s FROM lototrot_block b
 WHERE b.proposal_id = %(proposal)s AND c.game = %(game)s AND c.document_id = b.ticket_id
   AND c.state = 'presented'
"""
_NOT_HELD = """
SELECT EXISTS (
    SELECT FROM lototrot_block b JOIN payoffice_claim c
           ON c.game = %(game)s AND c.document_id = b.ticket_id
     WHERE b.proposal_id = %(proposal)s AND c.state <> 'held')
"""

_SUSPECT_SELLER = """
SELECT EXISTS (SELECT FROM suspect s JOIN lototrot_displayacknowledgement d ON d.terminal_id = s.id
                WHERE d.contest_id = %(contest)s)
"""


def _parameters(contest: Contest) -> dict[str, Any]:
    return {
        "contest": contest.pk,
        **_GAME,
        "opened_at": contest.opened_at or "-infinity",
        "closed_at": contest.closed_at or "infinity",
        "limit": contest_limit(contest.pk),
    }


def breach_pending(contest_id: int, *, last_sold_at: datetime | None = None) -> bool:
    """Return whether a known bet in breach is neither voided nor blocked.

    A caller that has read all tickets passes the time of the last one that is not void. If that was
    in time and every terminal that sold for the contest was authorised, the tickets are not read
    again.
    """
    parameters = _parameters(contest_get(contest_id))
    limit = parameters["limit"]
    in_time = last_sold_at is not None and (limit is None or last_sold_at < limit)
    select = _SUSPECT_SELLER if in_time else "SELECT EXISTS (SELECT FROM breach)"
    with connection.cursor() as cursor:
        cursor.execute(_BREACHES + select, parameters)
        pending = bool(cursor.fetchone()[0])
    return breach_pending(contest_id) if in_time and pending else pending


def breach_list(contest_id: int, *, after: int = 0, limit: int = 100) -> list[Breach]:
    """Return up to `limit` tickets in breach with an id above `after`, by id."""
    query = _BREACHES + (
        "SELECT t.id, t.uuid, t.sold_at, p.code, m.code, t.bets, t.amount_cents, t.reasons"
        " FROM breach t JOIN premises_premises p ON p.id = t.premises_id"
        " JOIN premises_terminal m ON m.id = t.terminal_id"
        " WHERE t.id > %(after)s ORDER BY t.id LIMIT %(most)s"
    )
    parameters = _parameters(contest_get(contest_id)) | {"after": after, "most": limit}
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return [Breach(*row) for row in cursor.fetchall()]


def breach_set(contest_id: int) -> BreachSet:
    """Return the totals of all tickets that an act would undo. Memory does not grow with them."""
    query = _BREACHES + "SELECT id, bets, amount_cents FROM breach ORDER BY id"
    return _summed(query, _parameters(contest_get(contest_id)))


def _summed(query: str, parameters: dict[str, Any]) -> BreachSet:
    tickets = bets = cents = 0
    digest = hashlib.sha256()
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, parameters)
        for ticket, ticket_bets, ticket_cents in cursor:
            digest.update(b"%d\n" % ticket)
            tickets, bets, cents = tickets + 1, bets + ticket_bets, cents + ticket_cents
    return BreachSet(tickets, bets, cents, digest.hexdigest())


@transaction.atomic
def breach_void(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to void every bet in breach before settlement; a second person confirms that set.

    The bets were sealed: an amendment of the seal, published with the confirmation, lists them.
    Raise ContestUnknown, BreachNotNow, ContestNotSealed, BreachLimitUnknown or NoBreach.
    """
    return _propose(VOID, by, contest_id)


@transaction.atomic
def breach_block(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to block every bet in breach found after the payment order.

    A second person confirms the set. Before that order nothing is paid. If a settlement is reversed
    before it [B14], bets in breach are voided, and no block has to be undone. Raise as
    `breach_void` does.
    """
    return _propose(BLOCK, by, contest_id)


_STATES = {
    "lototrot.breach_void": Contest.State.CLOSED,
    "lototrot.breach_block": Contest.State.ORDERED,
}


def _propose(kind: two_persons.Kind, by: StaffActor, contest_id: int) -> Proposal:
    by.need(powers.UNDO_BREACH)
    _need_state(kind.name, contest_id)
    if contest_limit(contest_id) is None:
        raise BreachLimitUnknown(contest=contest_id)
    breaches = breach_set(contest_id)
    if not breaches.tickets:
        raise NoBreach(contest=contest_id)
    return two_persons.propose(
        kind=kind,
        subject=f"contest:{contest_id}",
        by=by,
        content={"contest": contest_id, **asdict(breaches)},
    )


def _need_state(kind: str, contest_id: int) -> Contest:
    contest = contest_get(contest_id)
    if contest.state != _STATES[kind]:
        raise BreachNotNow(contest=contest_id, state=contest.state)
    need_sealed(contest)
    return contest


def _apply(proposal: Proposal, insert: str, read_back: str) -> Contest:
    """Insert a row for each ticket in breach now.

    Raise BreachChanged if the proposed set differs.
    """
    contest_id = proposal.content["contest"]
    hold((Lock.CONTEST, contest_id))
    contest = _need_state(proposal.kind, contest_id)
    values: dict[str, Any] = {"proposal": proposal.pk, "now": clock.now()}
    with connection.cursor() as cursor:
        cursor.execute(_BREACHES + insert, _parameters(contest) | values)
    if {"contest": contest_id, **asdict(_summed(read_back, values))} != proposal.content:
        raise BreachChanged(contest=contest_id)
    return contest


def _voided(proposal: Proposal, by: StaffActor) -> None:
    contest = _apply(
        proposal,
        "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, proposal_id)"
        " SELECT id, 'breach', array_to_string(reasons, ', '), %(now)s, %(proposal)s FROM breach",
        "SELECT t.id, t.bets, t.amount_cents FROM lototrot_void v JOIN lototrot_ticket t"
        " ON t.id = v.ticket_id WHERE v.proposal_id = %(proposal)s ORDER BY t.id",
    )
    account = contest.takings_account
    takings = ledger.AccountCode(account.code, Account.Side(account.side))
    cents = proposal.content["amount_cents"]
    line = postings.breach_void(contest_id=contest.pk, takings=takings, cents=cents)
    ledger.post(reference=proposal.uuid, lines=[line])
    seal_amend(contest=contest, proposal=proposal)


def _blocked(proposal: Proposal, by: StaffActor) -> None:
    contest = _apply(
        proposal,
        "INSERT INTO lototrot_block (ticket_id, proposal_id, blocked_at, prize_cents)"
        " SELECT b.id, %(proposal)s, %(now)s, coalesce(p.prize_cents, 0) FROM breach b"
        " LEFT JOIN lototrot_settlement s ON s.contest_id = b.contest_id AND s.in_force"
        " LEFT JOIN lototrot_prize p ON p.ticket_id = b.id AND p.settlement_id = s.id",
        "SELECT t.id, t.bets, t.amount_cents FROM lototrot_block b JOIN lototrot_ticket t"
        " ON t.id = b.ticket_id WHERE b.proposal_id = %(proposal)s ORDER BY t.id",
    )
    values: dict[str, Any] = {"proposal": proposal.pk, "now": clock.now(), **_GAME}
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, values)
        cents = int(cursor.fetchone()[0])
        cursor.execute(_HOLD_PRESENTED, values)
        cursor.execute(_NOT_HELD, values)
        if cursor.fetchone()[0]:  # paid or lapsed since the set was read
            raise BreachChanged(contest=contest.pk)
    line = postings.breach_block(contest_id=contest.pk, cents=cents)
    ledger.post(reference=proposal.uuid, lines=[line])


VOID = two_persons.Kind("lototrot.breach_void", powers.UNDO_BREACH, apply=_voided)
BLOCK = two_persons.Kind("lototrot.breach_block", powers.UNDO_BREACH, apply=_blocked)
