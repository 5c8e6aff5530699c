"""Plan emissions of an approved game, commit to them, add a witness's entropy, open them (15.II.2).

The database enforces the order: the commitment is published before the witness acts, and nothing is
sold before that (docs/emission-algorithm.md).
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from django.db import transaction

from core.database import clock, encryption
from core.database.locks import Lock, hold
from core.draws import method
from core.draws.conducting import CommittedOtherwise
from core.kernel.errors import Conflict, Invalid
from core.kernel.money import ceil_div
from core.ledger import services as ledger
from core.proofs import log
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, powers
from promotrot.engine import game as engine
from promotrot.engine.game import PredrawnGame
from promotrot.engine.plan import MIN_BLOCK_TICKETS, Plan, block_sizes, make_plan
from promotrot.engine.plan_json import read_plan
from promotrot.engine.prize_table import Prize, Tier
from promotrot.engine.shortfall import bonus_table, with_extra
from promotrot.engine.shuffle import SEED_BYTES, commitment
from promotrot.models.emission import (
    Commitment,
    Emission,
    Lane,
    Opening,
    PrizeTier,
    WitnessEntropy,
)
from promotrot.models.game import Game, GameApproval
from promotrot.selectors.emissions import ENTROPY, restored_since
from promotrot.selectors.facts import EmissionUnknown
from promotrot.selectors.games import version_game
from promotrot.selectors.owed import fundable_cents
from promotrot.services import publications
from promotrot.services.dealing import dealing, seed_cell
from promotrot.services.games import (
    approval_on_today,
    figures_today,
    need_approvable,
    need_not_ended,
)
from promotrot.services.valuing import need_valued, valuations_plan

MIN_LANES = 64
"""So many sales of one emission at once do not wait for one another."""


class GameNotApproved(Conflict):
    code = "game_not_approved"
    message = "No version of the game is approved."


class EmissionState(Conflict):
    code = "emission_state"
    message = "The emission is not at the point where this can be done."


class EmissionRestored(Conflict):
    code = "emission_restored"
    message = "The database was restored after this was proposed: reject it, and propose it again."


class EmissionWaiting(Conflict):
    code = "emission_waiting"
    message = "An emission of the game is planned and not yet on sale: that one comes first."


class ExtraNeeded(Conflict):
    code = "extra_needed"
    message = "The game owes prizes: its next emission must have extra ones (15.III.6.2)."


class ExtraNotOwed(Invalid):
    code = "extra_not_owed"
    message = "The game owes nothing that would fund extra prizes."


class WitnessNotApart(Conflict):
    code = "witness_not_apart"
    message = "The person who published the commitment cannot be its witness."


@transaction.atomic
def emission_plan(
    *, by: StaffActor, game: Game, extra_tier: int | None = None, stop_without_top: bool = False
) -> Emission:
    """Plan the next emission of a game from its newest approved version.

    The game's debt pays as many extra prizes of `extra_tier` as it can, on top of the minimum
    percentage [P2]. A game that owes one prize or more must name a tier. Raises GameEnded,
    EmissionWaiting, GameNotApproved, ApprovalRefused, ExtraNeeded, ExtraNotOwed, ExtraImpossible,
    PlanImpossible.
    """
    by.need(powers.PLAN_EMISSION)
    hold((Lock.GAME, game.pk))
    need_not_ended(game)
    _need_none_waiting(game)
    approval = _newest_approval(game)
    definition = version_game(approval.version_id)
    need_approvable(approval_on_today(definition))
    plan, tiers = _planned(definition, fundable_cents(game), extra_tier)
    number = game.emissions.count() + 1
    reference = f"{game.code}/{number}"
    opened = ledger.account_open([accounts.takings(reference), accounts.vouchers(reference)])
    emission = Emission.objects.create(
        game=game,
        approval=approval,
        number=number,
        reference=reference,
        tickets=definition.kind.tickets,
        block_tickets=_block_tickets(definition),
        price_cents=definition.kind.price_cents,
        plan=plan.document() if plan else None,
        extra_cents=sum(tier.total_cents for tier in tiers if tier.extra),
        stop_without_top=stop_without_top and isinstance(definition, PredrawnGame),
        takings_account=opened[accounts.takings(reference).code],
        vouchers_account=opened[accounts.vouchers(reference).code],
        planned_at=clock.now(),
        planned_by_id=by.user_id,
        planned_in_id=by.session_id,
    )
    PrizeTier.objects.bulk_create(
        _rows(emission, tiers, dealt=isinstance(definition, PredrawnGame))
    )
    valuations_plan(by, emission, tiers)
    return emission


def _need_none_waiting(game: Game) -> None:
    """Check that no emission of the game waits to be opened.

    Otherwise somebody could look at the key of one emission and then choose another.
    """
    waiting = game.emissions.filter(state__in=Emission.WAITING).first()
    if waiting is not None:
        raise EmissionWaiting(emission=waiting.reference, state=waiting.state)


def _newest_approval(game: Game) -> GameApproval:
    approval = GameApproval.objects.filter(version__game=game).order_by("-version__version").first()
    if approval is None:
        raise GameNotApproved(game=game.code)
    return approval


def _planned(
    game: engine.Game, owed_cents: int, extra_tier: int | None
) -> tuple[Plan | None, Sequence[Tier]]:
    """Return the plan (None if nothing is dealt) and every tier of the emission, extra tiers
    last.
    """
    _need_right_extra(game.kind.prizes, owed_cents, extra_tier)
    if isinstance(game, PredrawnGame):
        if extra_tier is not None:
            game = replace(game, kind=with_extra(game.kind, owed_cents, extra_tier)[0])
        kept_percent = game.kind.kept_percent(figures_today().minimum_prize_percent)
        plan = make_plan(game.kind, kept_percent, block_tickets=game.block_tickets)
        return plan, plan.tiers
    tiers = [Tier(prize, 0) for prize in game.kind.prizes]
    if extra_tier is None:
        return None, tiers
    table, _ = bonus_table(game.kind, owed_cents, extra_tier)
    bonus = make_plan(table, Fraction(0), block_tickets=_block_tickets(game))
    return bonus, [*tiers, *bonus.tiers]


def _need_right_extra(prizes: Sequence[Prize], owed_cents: int, extra_tier: int | None) -> None:
    reaches = owed_cents >= min(prize.value_cents for prize in prizes)
    if reaches and extra_tier is None:
        raise ExtraNeeded(owed_cents=owed_cents)
    if not reaches and extra_tier is not None:
        raise ExtraNotOwed(owed_cents=owed_cents)


def _block_tickets(game: engine.Game) -> int:
    if isinstance(game, PredrawnGame):
        return game.block_tickets
    return min(game.kind.tickets, MIN_BLOCK_TICKETS)


def _rows(emission: Emission, tiers: Sequence[Tier], *, dealt: bool) -> Iterator[PrizeTier]:
    for number, tier in enumerate(tiers, start=1):
        thing = tier.prize.in_kind
        yield PrizeTier(
            emission=emission,
            number=number,
            value_cents=tier.prize.value_cents,
            thing=thing.description if thing else "",
            extra=tier.extra,
            count=tier.count if dealt or tier.extra else None,
        )


@transaction.atomic
def emission_commit(
    *, by: StaffActor, emission: Emission, source: str, pieces: int | None = None
) -> Emission:
    """Make the seed, and publish the commitment to it with the plan. A second call changes nothing.

    `source` and `pieces` say what the witness will give, as in a public draw [B16]. Raises
    MeansRefused, EntropyTooLittle, CommittedOtherwise, and EmissionState if nothing is dealt or the
    emission is past this state.
    """
    by.need(powers.COMMIT_EMISSION)
    means = method.Means.of(source, pieces)
    emission = emission_hold(emission)
    existing = Commitment.objects.filter(emission=emission).first()
    if existing is not None:
        if method.Means.of(existing.source, existing.pieces) != means:
            raise CommittedOtherwise(source=existing.source, pieces=existing.pieces)
        return emission
    _need_state(emission, Emission.State.DRAFT, dealt=True)
    seed, plan = secrets.token_bytes(SEED_BYTES), read_plan(emission.plan)
    commitment_row = Commitment.objects.create(
        emission=emission,
        source=str(means.source),
        pieces=means.pieces,
        committed_at=clock.now(),
        digest=commitment(seed, emission.reference, plan).hex(),
        encrypted_seed=encryption.encrypt(seed_cell(emission.reference), seed),
        committed_by_id=by.user_id,
        committed_in_id=by.session_id,
    )
    emission_advance(emission, Emission.State.COMMITTED)
    document = publications.commitment_document(emission, commitment_row)
    log.publish(kind=publications.COMMITMENT, subject=emission.reference, document=document)
    return emission


@transaction.atomic
def witness_enter(*, by: StaffActor, emission: Emission, source: str, text: str) -> Emission:
    """Record an inspector's public entropy, once, after the commitment is published.

    `source` is a `core.draws.method.Source`: dice, balls or a phrase, as in a public draw. A person
    who gave the inspector's account may hold it for a day. Raises PowerMissing, SecondPersonTooNew,
    EmissionState, EntropyMalformed, EntropyTooLittle, WitnessNotApart, and EntropyOtherwise if it
    is not of the kind and number of the commitment [B16].
    """
    by.need(powers.WITNESS_EMISSION)
    two_persons.need_second(by)
    emission = emission_hold(emission)
    _need_state(emission, Emission.State.COMMITTED, dealt=True)
    entropy = method.entropy_canonical(method.Source(source), text)
    if emission.commitment.committed_by_id == by.user_id:
        raise WitnessNotApart
    committed = method.Means.of(emission.commitment.source, emission.commitment.pieces)
    committed.need_kept(method.Source(source), entropy)
    witness = WitnessEntropy.objects.create(
        emission=emission,
        entropy=entropy,
        source=source,
        entered_at=clock.now(),
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
    )
    emission_advance(emission, Emission.State.MIXED)
    document = publications.entropy_document(emission, witness)
    log.publish(kind=ENTROPY, subject=emission.reference, document=document)
    return emission


def emission_open_propose(*, by: StaffActor, emission: Emission) -> Proposal:
    """Propose to put the emission on sale, with the terms of its plan; another person confirms.

    `selectors.things.shortages_of` warns where the stock of its things is short [P21]. Both persons
    see the restores since the seed was fixed (`restored_since`): a restore in between is refused
    with EmissionRestored. Raises EmissionState, GameEnded, ValuationTooOld, ProposalPending.
    """
    by.need(powers.OPEN_EMISSION)
    emission = emission_get(emission.reference)
    _need_openable(emission)
    return two_persons.propose(
        kind=OPENING,
        subject=f"promotrot:{emission.reference}",
        by=by,
        content={"emission": emission.reference, **_terms(emission)},
    )


def _need_openable(emission: Emission) -> None:
    needed = Emission.State.MIXED if emission.dealt else Emission.State.DRAFT
    _need_state(emission, needed, dealt=emission.dealt)
    need_not_ended(emission.game)
    need_valued(emission)


def _terms(emission: Emission) -> two_persons.Content:
    """Return what players rely on in the emission, as the second person reads it.

    Of that only restores of the database come later than the plan.
    """
    commitment = Commitment.objects.filter(emission=emission).first()
    return {
        "version": emission.approval.version.version,
        "tickets": emission.tickets,
        "price_cents": emission.price_cents,
        "extra_cents": emission.extra_cents,
        "stop_without_top": emission.stop_without_top,
        "commitment": commitment.digest if commitment else "",
        "restored_since": restored_since(emission),
        "tiers": [
            {
                "number": tier.number,
                "value_cents": tier.value_cents,
                "thing": tier.thing,
                "count": tier.count,
                "extra": tier.extra,
            }
            for tier in emission.tiers.order_by("number")
        ],
    }


def _open(proposal: Proposal, by: StaffActor) -> None:
    """Put the emission on sale and make its lanes: as many rows for a small one as for a large."""
    emission = emission_hold(emission_get(proposal.content["emission"]))
    _need_openable(emission)
    if restored_since(emission) != proposal.content.get("restored_since", []):
        raise EmissionRestored(emission=emission.reference)
    opening = Opening.objects.create(emission=emission, opened_at=clock.now(), proposal=proposal)
    Lane.objects.bulk_create(
        Lane(emission=emission, opening=opening, first=first, tickets=tickets)
        for opening, first, tickets in lanes(_sizes(emission))
    )
    emission_advance(emission, Emission.State.OPEN)
    document = publications.opening_document(emission, opening)
    log.publish(kind=publications.OPENING, subject=emission.reference, document=document)


OPENING = two_persons.Kind("promotrot.opening", powers.OPEN_EMISSION, _open)


def _sizes(emission: Emission) -> list[int]:
    """Return the tickets of each block in the order of opening."""
    if emission.dealt:
        return dealing(emission.pk).block_tickets()
    blocks = block_sizes(emission.tickets, emission.block_tickets)
    return [tickets for count, tickets in blocks for _ in range(count)]


def lanes(sizes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Return `(opening, first, tickets)` for each lane.

    A lane is a complete block, or an even part of a block if there are few blocks, so that at least
    MIN_LANES sales can run at the same time.
    """
    parts = ceil_div(MIN_LANES, len(sizes))
    for opening, tickets in enumerate(sizes):
        cuts = sorted({tickets * part // parts for part in range(parts + 1)})
        for first, end in pairwise(cuts):
            yield opening, first, end - first


def emission_hold(emission: Emission) -> Emission:
    """Lock the game and the emission, and read the emission again."""
    hold((Lock.GAME, emission.game_id), (Lock.EMISSION, emission.pk))
    return emission_get(emission.reference)


def emission_get(reference: str) -> Emission:
    """Return the emission with its game. Raises EmissionUnknown."""
    emission = (
        Emission.objects.select_related("game__type", "approval__version")
        .filter(reference=reference)
        .first()
    )
    if emission is None:
        raise EmissionUnknown(emission=reference)
    return emission


def _need_state(emission: Emission, wanted: Emission.State, *, dealt: bool) -> None:
    if emission.state != wanted or emission.dealt != dealt:
        raise EmissionState(state=emission.state, needed=str(wanted), dealt=emission.dealt)


def emission_advance(emission: Emission, state: Emission.State) -> None:
    """Write the state that an emission has reached, if it is still in the state in which it was
    read.
    """
    Emission.objects.filter(pk=emission.pk, state=emission.state).update(state=state)
    emission.state = state
