"""Figures for the public, taken as the sale goes on and shown later (`selectors.public`)."""

from core.database import clock
from promotrot.models.emission import Emission, PublicFigures
from promotrot.selectors.public import awarded_now, sold_now


def figures_take(*, emission: Emission) -> PublicFigures:
    """Keep how far the emission has come; the same again while nothing more is sold."""
    sold = sold_now(emission)
    found, _ = PublicFigures.objects.get_or_create(
        emission=emission,
        sold=sold,
        defaults={"awarded": awarded_now(emission), "taken_at": clock.now()},
    )
    return found
