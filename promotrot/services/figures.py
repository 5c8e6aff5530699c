"""Record figures for the public while an emission is on sale; `selectors.public` shows them
later.
"""

from core.database import clock
from promotrot.models.emission import Emission, PublicFigures
from promotrot.selectors.public import awarded_now, sold_now


def figures_take(*, emission: Emission) -> PublicFigures:
    """Record how far the sale of an emission has come. Without new sales the result is the same."""
    sold = sold_now(emission)
    figures, _ = PublicFigures.objects.get_or_create(
        emission=emission,
        sold=sold,
        defaults={"awarded": awarded_now(emission.pk), "taken_at": clock.now()},
    )
    return figures
