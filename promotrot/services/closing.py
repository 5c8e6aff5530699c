"""End an emission: stop its sale, close it with a statement, reveal its seed (15.III.6.2) [P1, P2].

A sale in progress holds its lane. So shutting the lanes waits for every sale, and the count
includes it. An award and the closing both hold the emission's lock. Lanes are locked before the
emission.
"""

from django.db import transaction

from core.database import clock
from core.database.due_work import sweep_soon
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import DomainError
from core.ledger import services as ledger
from core.ledger.services import LedgerUnbalanced
from core.proofs import log
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, postings, powers
from promotrot.engine import shortfall
from promotrot.engine.shortfall import FiguresDisagree
from promotrot.models.emission import ClosingStatement, Emission, Lane, SaleStop, SeedReveal
from promotrot.models.game import GameEnding
from promotrot.selectors.closing import (
    LanesDisagree,
    emission_figures,
    emissions_without_top,
    reveals_due,
)
from promotrot.services import publications
from promotrot.services.dealing import open_seed
from promotrot.services.emissions import (
    EmissionState,
    emission_advance,
    emission_get,
    emission_hold,
)


def emission_close_propose(*, by: StaffActor, emission: Emission) -> Proposal:
    """Propose to end the sale of an emission and close it. A second person confirms.

    The emission may be sold out or not: one that is withdrawn half-sold closes in the same way, and
    its shortfall is owed. Raises EmissionState.
    """
    by.need(powers.CLOSE_EMISSION)
    _need_on_sale(emission)
    return two_persons.propose(
        kind=CLOSING,
        subject=f"promotrot:{emission.reference}",
        by=by,
        content={"emission": emission.reference},
    )


def _need_on_sale(emission: Emission) -> None:
    if emission.state not in Emission.ON_SALE:
        raise EmissionState(state=emission.state, needed=[str(state) for state in Emission.ON_SALE])


def _shut(emission: Emission) -> Emission:
    """Shut the lanes: wait for the sales in progress, then lock the emission and read it again."""
    hold((Lock.GAME, emission.game_id))
    Lane.objects.filter(emission=emission, open=True).update(open=False)
    hold((Lock.EMISSION, emission.pk))
    return emission_get(emission.reference)


def _close(proposal: Proposal, by: StaffActor) -> None:
    emission = _shut(emission_get(proposal.content["emission"]))
    _need_on_sale(emission)
    statement = shortfall.state(emission_figures(emission))
    ledger.need_balance(accounts.takings(emission.reference), statement.takings_cents)
    closing = ClosingStatement.objects.create(
        emission=emission,
        game=emission.game,
        sequence=emission.game.closings.count() + 1,
        proposal=proposal,
        document=statement.document(),
        closed_at=clock.now(),
        shortfall_cents=statement.shortfall_cents,
        owed_cents=statement.owed_cents,
    )
    ledger.post(
        reference=proposal.uuid,
        lines=postings.closing_lines(
            game_code=emission.game.code,
            reference=emission.reference,
            statement=statement,
            day=natural_day(emission.planned_at),
        ),
    )
    emission_advance(emission, Emission.State.CLOSED)
    document = publications.closing_document(emission, closing)
    log.publish(kind=publications.CLOSING, subject=emission.reference, document=document)
    sweep_soon()  # its seed can be published now


_UNSOUND = (LanesDisagree, FiguresDisagree, LedgerUnbalanced)


def _stop_unsound(proposal: Proposal, error: DomainError) -> None:
    """Stop the sale of an emission whose closing is refused because its figures disagree.

    Nobody knows which of its tickets were sold, and it would sell on.
    """
    if isinstance(error, _UNSOUND):
        _stop(emission_get(proposal.content["emission"]))


CLOSING = two_persons.Kind("promotrot.closing", powers.CLOSE_EMISSION, _close, failed=_stop_unsound)


@transaction.atomic
def emission_stop(*, emission: Emission) -> bool:
    """Stop the sale of an emission whose last top prize is won, if it is set to. Return whether it
    stopped.

    Two persons close the emission afterwards.
    """
    return emission.pk in emissions_without_top() and _stop(emission)


def emissions_dealt_stop() -> list[str]:
    """Stop the sale of every emission whose tickets are dealt prizes, and return the references.

    The database lost acts by a restore: it would deal again the tickets that were dealt since, and
    who saw their prizes knows what comes next. Two persons close the emissions (15.II.2) [P2].
    """
    on_sale = Emission.objects.filter(state=Emission.State.OPEN, plan__isnull=False)
    return [each.reference for each in on_sale.order_by("pk") if _stop(each)]


@transaction.atomic
def _stop(emission: Emission) -> bool:
    emission = _shut(emission)
    if emission.state != Emission.State.OPEN:
        return False
    SaleStop.objects.create(emission=emission, stopped_at=clock.now())
    emission_advance(emission, Emission.State.STOPPED)
    return True


def emission_abandon(ending: GameEnding) -> None:
    """Say in public that the emission which waits, if one does, is never put on sale.

    Its seed is published afterwards, so that everybody sees which shuffle was thrown away.
    """
    waiting = ending.game.emissions.filter(state__in=Emission.WAITING).first()
    if waiting is None:
        return
    emission = emission_hold(waiting)
    emission_advance(emission, Emission.State.ABANDONED)
    document = publications.abandoned_document(emission, ending.ended_at)
    log.publish(kind=publications.ABANDONED, subject=emission.reference, document=document)
    sweep_soon()


@transaction.atomic
def seed_reveal(*, emission: Emission) -> bool:
    """Publish the seed of an emission that is closed, or that was committed to and never put on
    sale. Return whether this call did it. Raises ContentUnreadable.
    """
    hold((Lock.EMISSION, emission.pk))
    emission = emission_get(emission.reference)
    if emission.pk not in reveals_due():
        return False
    seed = open_seed(emission.commitment).hex()
    SeedReveal.objects.create(emission=emission, seed=seed, revealed_at=clock.now())
    if emission.state == Emission.State.CLOSED:
        emission_advance(emission, Emission.State.REVEALED)
    document = publications.seed_document(emission, seed)
    log.publish(kind=publications.SEED, subject=emission.reference, document=document)
    return True
