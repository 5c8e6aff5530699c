"""End a bet type for good, by two persons with the authority's decision [A17, A21].

What had accumulated is never the organiser's by default: jackpot, reserve and unclaimed prizes that
still waited for a meeting go where the decision says, to the cent. The log has what went where.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import hold
from core.kernel.canonical import with_digests
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.proofs import log
from core.proofs.wire import instant
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import accounts, postings, powers
from lototrot.models.authority import GameEnd
from lototrot.models.contest import BetType, Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.postings import EndMove, Source
from lototrot.selectors.contests import BetTypeUnknown
from lototrot.selectors.settlement.chains import chain_lock, holds_chain
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting
from lototrot.services.reasons import need_authorisation

ENDED = "lototrot.end"


class GameNotOver(Conflict):
    """`data`: contest, the first whose prizes or whose races are not decided."""

    code = "game_not_over"
    message = "A contest of this bet type is not finished, or its prizes can still be claimed."


class GameEnded(Conflict):
    code = "game_ended"
    message = "This bet type has ended for good by the authority's decision [A21]."


class EndNotWhole(Invalid):
    """`data`: held_cents and moved_cents by source."""

    code = "end_not_whole"
    message = "The decision must say where each cent of jackpot, reserve and unclaimed prizes goes."


class DestinationUnknown(Invalid):
    """`data`: bet_type."""

    code = "destination_unknown"
    message = "Each sum goes to a named recipient, or to another bet type that goes on."


class DestinationUnordered(Conflict):
    """`data`: contest, a settled one of the bet type that gets a sum."""

    code = "destination_unordered"
    message = (
        "A meeting of the bet type that gets a sum is settled and not ordered yet: it could still"
        " be settled again, with another jackpot."
    )


@dataclass(frozen=True, slots=True)
class Destination:
    """A sum of the decision: from `source` to a recipient by name, or to another bet type."""

    source: Source
    cents: int
    recipient: str = ""
    bet_type: str = ""


@transaction.atomic
def end_propose(
    *, by: StaffActor, bet_type: str, decision: str, destinations: Sequence[Destination]
) -> Proposal:
    """Propose the end of a bet type; a second person confirms it.

    Raise BetTypeUnknown, AuthorisationMissing, DestinationUnknown, DestinationUnordered, GameEnded,
    GameNotOver, EndNotWhole or ProposalPending.
    """
    by.need(powers.END_GAME)
    need_authorisation(decision)
    if not BetType.objects.filter(code=bet_type).exists():
        raise BetTypeUnknown(code=bet_type)
    _moves(bet_type, destinations)
    return two_persons.propose(
        kind=END,
        subject=f"chain:{bet_type}",
        by=by,
        content={
            "bet_type": bet_type,
            "decision": decision,
            "destinations": [asdict(each) | {"source": str(each.source)} for each in destinations],
        },
    )


def need_going_on(bet_type_code: str) -> None:
    """Raise GameEnded if the bet type has ended for good."""
    if GameEnd.objects.filter(bet_type_code=bet_type_code).exists():
        raise GameEnded(bet_type=bet_type_code)


def held_cents(bet_type_code: str) -> dict[Source, dict[date | None, int]]:
    """Return what a chain holds, by source; unclaimed prizes by the day with which they wait."""
    return {
        Source.JACKPOT: {None: ledger.balance_cents(accounts.jackpot(bet_type_code))},
        Source.RESERVE: {None: ledger.balance_cents(accounts.reserve(bet_type_code))},
        Source.UNCLAIMED: dict(carry_overs_waiting(bet_type_code)),
    }


def _moves(bet_type: str, destinations: Sequence[Destination]) -> list[EndMove]:
    """Return the transfers of the decision. Raise if the game goes on or a cent has no place."""
    need_going_on(bet_type)
    _need_over(bet_type)
    _need_known(bet_type, destinations)
    held = held_cents(bet_type)
    totals = {source: sum(parts.values()) for source, parts in held.items()}
    moved = dict.fromkeys(Source, 0)
    for destination in destinations:
        moved[destination.source] += destination.cents
    if moved != totals:
        raise EndNotWhole(
            held_cents={str(source): cents for source, cents in totals.items()},
            moved_cents={str(source): cents for source, cents in moved.items()},
        )
    return [move for each in destinations for move in _taken(each, held[each.source])]


def _taken(destination: Destination, left: dict[date | None, int]) -> list[EndMove]:
    """Take the sum of a destination from what its source has left, the oldest day first."""
    moves, missing_cents = [], destination.cents
    for day in list(left):
        cents = min(missing_cents, left[day])
        left[day] -= cents
        missing_cents -= cents
        if cents:
            moves.append(
                EndMove(
                    source=destination.source,
                    day=day,
                    recipient=destination.recipient,
                    bet_type=destination.bet_type,
                    cents=cents,
                )
            )
    return moves


def _need_known(bet_type: str, destinations: Sequence[Destination]) -> None:
    for destination in destinations:
        other = destination.bet_type
        named = bool(destination.recipient.strip())
        exists = other != bet_type and BetType.objects.filter(code=other).exists()
        if destination.cents < 1 or named == bool(other) or (other and not exists):
            raise DestinationUnknown(bet_type=other)
        if other:
            need_going_on(other)
            _need_none_unordered(other)


def _need_none_unordered(bet_type: str) -> None:
    settled = Contest.objects.filter(bet_type_code=bet_type, state=Contest.State.SETTLED).first()
    if settled is not None:
        raise DestinationUnordered(contest=settled.pk)


def _need_over(bet_type: str) -> None:
    """Raise GameNotOver while a contest is unfinished, or somebody may still be paid from it."""
    chain = Contest.objects.filter(bet_type_code=bet_type)
    unfinished = chain.filter(holds_chain(clock.now())).order_by("day").first()
    if unfinished is not None:
        raise GameNotOver(contest=unfinished.pk)
    orders = PaymentOrder.objects.filter(contest__bet_type_code=bet_type).order_by("contest__day")
    unlapsed = orders.filter(contest__lapse=None).first()
    if unlapsed is not None:
        raise GameNotOver(contest=unlapsed.contest_id)
    for contest_id in orders.values_list("contest_id", flat=True):
        undecided = (accounts.held(contest_id), accounts.lapsed(contest_id))
        if any(ledger.balance_cents(account) for account in undecided):
            raise GameNotOver(contest=contest_id)


def _ended(proposal: Proposal, by: StaffActor) -> None:
    code = proposal.content["bet_type"]
    destinations = [
        Destination(**{**destination, "source": Source(destination["source"])})
        for destination in proposal.content["destinations"]
    ]
    codes = {code, *(each.bet_type for each in destinations if each.bet_type)}
    hold(*map(chain_lock, codes))
    moves = _moves(code, destinations)
    now = clock.now()
    end = GameEnd.objects.create(
        uuid=row_uuid(now),
        bet_type_code=code,
        decision=proposal.content["decision"],
        moves=[move.to_document() for move in moves],
        cents=sum(move.cents for move in moves),
        ended_at=now,
        proposal=proposal,
    )
    ledger.post(reference=end.uuid, lines=postings.end_lines(code, moves))
    for account in (accounts.jackpot(code), accounts.reserve(code)):
        ledger.need_balance(account, 0)
    _publish(end)


def _publish(end: GameEnd) -> None:
    """Publish what went where: a bet type that gets a sum carries it into its next settlement."""
    log.publish(
        kind=ENDED,
        subject=end.bet_type_code,
        document=with_digests(
            {
                "format": "lototrot-end-1",
                "bet_type": end.bet_type_code,
                "decision": end.decision,
                "moves": end.moves,
                "ended_at": instant(end.ended_at),
            }
        ),
    )


END = two_persons.Kind(
    "lototrot.game_end", powers.END_GAME, apply=_ended, good_for=two_persons.A_WEEK
)
