"""Read emissions for staff: what is on record, and the present totals."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from core.journal.lineages import LINEAGE
from core.kernel.money import percent_up
from core.proofs.log import published
from core.proofs.models import LogEntry
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.models.emission import Emission, Lane
from promotrot.selectors.closing import emission_figures

ENTROPY = "promotrot.entropy"
"""The kind of the entry by which the public log has the witness's entropy of an emission."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The present totals of an emission. `minimum_cents` is the part of its takings due to
    prizes.
    """

    sold: int
    takings_cents: int
    awarded_cents: int
    extra_awarded_cents: int
    refunded: int
    unfinished: int
    unclaimed_cents: int
    minimum_cents: int
    game_owes_cents: int


def emissions() -> QuerySet[Emission]:
    """Return every emission with its game."""
    return Emission.objects.select_related("game", "approval__version", "opening", "closing")


def unclosed() -> QuerySet[Emission]:
    """Return the emissions that sell no more tickets and are not closed: sold out, or stopped.

    Until two persons close one, nobody is told what it owes to prizes, and its seed is secret.
    """
    on_sale = Emission.objects.filter(state__in=Emission.ON_SALE).select_related("opening")
    return on_sale.exclude(Exists(Lane.objects.filter(emission=OuterRef("pk"), open=True)))


def standing(*, by: StaffActor, emission: Emission) -> Standing:
    """Return the present totals of an emission, never by block. Raises PowerMissing."""
    by.need(powers.READ_EMISSIONS)
    figures = emission_figures(emission)
    takings = (figures.sold - figures.refunded) * figures.price_cents
    return Standing(
        sold=figures.sold,
        takings_cents=takings,
        awarded_cents=figures.awarded_cents,
        extra_awarded_cents=figures.extra_awarded_cents,
        refunded=figures.refunded,
        unfinished=figures.unfinished,
        unclaimed_cents=figures.unclaimed_cents,
        minimum_cents=percent_up(takings, figures.minimum_percent),
        game_owes_cents=figures.owed_before_cents,
    )


def restored_since(emission: Emission) -> list[str]:
    """Return the reasons of the journal's lineages that began after the emission's seed was fixed.

    A restore to an earlier time begins one. What was lost may have had the emission on sale: it
    would deal the same prizes again, and who saw them knows what comes next (15.II.2).
    """
    fixed = published(kind=ENTROPY, subject=emission.reference)
    if fixed is None:
        return []
    since = LogEntry.objects.filter(kind=LINEAGE, sequence__gt=fixed.sequence)
    return [entry.document["reason"] for entry in since.order_by("sequence")]
