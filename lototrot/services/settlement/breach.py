"""Undo all bets in breach of a contest together (14.I.6) [C6, C9, E3].

They are voided before the payment order and blocked after it. The rows of the tickets voided or
blocked are the sub-ledger of one transfer per act. `lototrot.selectors.breaches` finds the bets.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db import connection, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.ledger.models import Account
from core.premises.models import Game
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import postings, powers
from lototrot.models.contest import Contest
from lototrot.models.running import RaceDeclaration, Withdrawal
from lototrot.selectors.breaches import (
    IN_BREACH,
    breach_parameters,
    breach_pending,
    breach_set,
    summed,
)
from lototrot.selectors.contests import contest_get
from lototrot.selectors.races import contest_limit
from lototrot.selectors.retired import need_all
from lototrot.services.races.declarations import RETRACTION
from lototrot.services.races.starts import START
from lototrot.services.races.withdrawals import REVERSAL
from lototrot.services.seal.sealing import need_sealed, seal_amend
from lototrot.services.settlement.early import early_claims_refund
from lototrot.services.settlement.settling import settlement_reverse

START_CORRECTION = "lototrot.start_correction"
CLASSIFICATION_CORRECTION = "lototrot.classification_correction"
_GAME = {"game": Game.LOTOTROT.value}
State = Contest.State


class BreachLimitUnknown(Conflict):
    code = "breach_limit_unknown"
    message = "The contest has no recorded start, and none of its races is declared not run."


class NoBreach(Conflict):
    code = "no_breach"
    message = "No bet of the contest is in breach."


class BreachNotNow(Conflict):
    code = "breach_not_now"
    message = "Bets in breach are voided before the payment order and blocked after it."


class BreachChanged(Conflict):
    code = "breach_changed"
    message = "The bets in breach have changed since the proposal. Propose the new set."


class CorrectionWaits(Conflict):
    """`data`: race."""

    code = "correction_waits"
    message = (
        "A correction of a start, a declaration or a result waits: confirm or reject it before bets"
        " are voided or payment is ordered [B14, C6, C9]."
    )


# Two persons may be deciding about a held ticket, and do not see the block yet.
_WAIT_FOR_RULINGS = """
SELECT c.id FROM payoffice_claim c JOIN lototrot_ticket t ON t.id = c.document_id
 WHERE c.game = %(game)s AND c.state = 'held' AND t.contest_id = %(contest)s
   FOR NO KEY UPDATE OF c
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
     WHERE b.proposal_id = %(proposal)s AND c.state NOT IN ('held', 'no_prize'))
"""


def breached_reverse(by: StaffActor, contest_ids: Iterable[int]) -> list[int]:
    """Reverse the settlement of each contest that has bets in breach, and return those contests.

    An act that corrects a start, an authorisation or a suspension calls it in its transaction [C9].
    The contests are settled again once their bets in breach are voided. A contest whose payment is
    ordered stays as it is: its bets in breach are blocked [C6].
    """
    reversed_contests = []
    for contest in Contest.objects.filter(pk__in=contest_ids, state=State.SETTLED).order_by("pk"):
        if breach_pending(contest.pk):
            settlement_reverse(contest_id=contest.pk, by=by)
            reversed_contests.append(contest.pk)
    return reversed_contests


def undecided_hold() -> None:
    """Lock the contests whose bets in breach can still be voided until the transaction ends."""
    undecided = Contest.objects.filter(state__in=Contest.UNORDERED)
    hold(*((Lock.CONTEST, pk) for pk in undecided.values_list("pk", flat=True)))


def undecided_reverse(by: StaffActor) -> None:
    """Reverse every settlement not yet ordered that has bets in breach [C9]."""
    settled = Contest.objects.filter(state=State.SETTLED)
    breached_reverse(by, settled.values_list("pk", flat=True))


@transaction.atomic
def breach_void(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to void every bet in breach before the order; a second person confirms that set.

    The bets were sealed: an amendment of the seal, published with the confirmation, lists them.
    Raise ContestUnknown, BreachNotNow, ContestNotSealed, TicketsArchived, CorrectionWaits,
    BreachLimitUnknown or NoBreach.
    """
    return _propose(VOID, by, contest_id)


@transaction.atomic
def breach_block(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to block every bet in breach found after the payment order.

    A second person confirms the set. Before that order bets in breach are voided instead, so no
    block has to be undone. Raise as `breach_void` does.
    """
    return _propose(BLOCK, by, contest_id)


_STATES = {
    "lototrot.breach_void": Contest.UNORDERED,
    "lototrot.breach_block": (State.ORDERED,),
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
    if contest.state not in _STATES[kind]:
        raise BreachNotNow(contest=contest_id, state=contest.state)
    need_sealed(contest)
    need_all(contest_id)  # nobody has a right on what left
    need_no_correction(contest)
    return contest


def need_no_correction(contest: Contest, *, of_results: bool = False) -> None:
    """Raise CorrectionWaits while it waits to be put right from when on bets are in breach.

    A correction of a start does so, and what takes a declaration back: its retraction, or the start
    of its race. With `of_results`, raise also while a keying error in a result waits to be put
    right: after the payment order it never could be [B14].
    """
    races = dict.fromkeys(contest.legs.values_list("race_id", flat=True))
    declared = RaceDeclaration.objects.filter(race__in=races, superseded_at=None)
    declarations = dict(declared.values_list("pk", "race_id"))
    moving = {(START_CORRECTION, f"race:{race}"): race for race in races}
    moving |= {(START.name, f"race:{race}"): race for race in declarations.values()}
    moving |= {(RETRACTION.name, f"declaration:{pk}"): race for pk, race in declarations.items()}
    if of_results:
        withdrawn = Withdrawal.objects.filter(race__in=races, reversed_at=None)
        moving |= {(CLASSIFICATION_CORRECTION, f"race:{race}"): race for race in races}
        moving |= {
            (REVERSAL.name, f"withdrawal:{pk}"): race
            for pk, race in withdrawn.values_list("pk", "race_id")
        }
    for act in two_persons.all_pending({subject for _, subject in moving}):
        if act in moving:
            raise CorrectionWaits(race=moving[act])


def _apply(proposal: Proposal, insert: str, read_back: str) -> Contest:
    """Insert a row for each ticket in breach now.

    Raise BreachChanged if the proposed set differs.
    """
    contest_id = proposal.content["contest"]
    hold((Lock.CONTEST, contest_id))
    contest = _need_state(proposal.kind, contest_id)
    values: dict[str, Any] = {"proposal": proposal.pk, "now": clock.now()}
    with connection.cursor() as cursor:
        cursor.execute(insert, breach_parameters(contest) | values)
    if {"contest": contest_id, **asdict(summed(read_back, values))} != proposal.content:
        raise BreachChanged(contest=contest_id)
    return contest


def _voided(proposal: Proposal, by: StaffActor) -> None:
    contest_id = proposal.content["contest"]
    hold((Lock.CONTEST, contest_id))
    breached_reverse(by, [contest_id])
    contest = _apply(
        proposal,
        "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, proposal_id)"
        " SELECT id, 'breach', array_to_string(reasons, ', '), %(now)s, %(proposal)s"
        f" FROM {IN_BREACH}",
        "SELECT t.id, t.bets, t.amount_cents FROM lototrot_void v JOIN lototrot_ticket t"
        " ON t.id = v.ticket_id WHERE v.proposal_id = %(proposal)s ORDER BY t.id",
    )
    account = contest.takings_account
    takings = ledger.AccountCode(account.code, Account.Side(account.side))
    cents = proposal.content["amount_cents"]
    line = postings.breach_void(contest_id=contest.pk, takings=takings, cents=cents)
    ledger.post(reference=proposal.uuid, lines=[line])
    early_claims_refund(contest.pk, proposal, derived_uuid(proposal.uuid, "lototrot.early"))
    seal_amend(contest=contest, proposal=proposal)


def _blocked(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CONTEST, proposal.content["contest"]))
    with connection.cursor() as cursor:
        cursor.execute(_WAIT_FOR_RULINGS, {"contest": proposal.content["contest"], **_GAME})
    contest = _apply(
        proposal,
        "INSERT INTO lototrot_block (ticket_id, proposal_id, blocked_at, prize_cents)"
        f" SELECT breach.id, %(proposal)s, %(now)s, coalesce(p.prize_cents, 0) FROM {IN_BREACH}"
        " LEFT JOIN lototrot_settlement s ON s.contest_id = breach.contest_id AND s.in_force"
        " LEFT JOIN lototrot_prize p ON p.ticket_id = breach.id AND p.settlement_id = s.id",
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
