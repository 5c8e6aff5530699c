"""Celery tasks of Promotrot. The database says what is due; these get it done soon.

A task takes an id, reads the state again and may run twice: what is done already stays as it is.
"""

from celery import shared_task

from core.config import sweep
from promotrot.models.emission import Emission
from promotrot.selectors.closing import emissions_without_top, reveals_due
from promotrot.selectors.public import figures_due
from promotrot.services.closing import emission_stop, seed_reveal
from promotrot.services.figures import figures_take


@shared_task  # type: ignore[untyped-decorator]
def stop(emission_id: int) -> bool:
    """End the sale of an emission without top prizes that is set to stop then."""
    return emission_stop(emission=Emission.objects.get(pk=emission_id))


@shared_task  # type: ignore[untyped-decorator]
def reveal(emission_id: int) -> bool:
    """Publish the seed of a closed emission."""
    return seed_reveal(emission=Emission.objects.get(pk=emission_id))


@shared_task  # type: ignore[untyped-decorator]
def take_figures(emission_id: int) -> int:
    """Keep how far an emission has come, for the public to be told later."""
    return figures_take(emission=Emission.objects.get(pk=emission_id)).sold


def register() -> None:
    """Tell the sweeper where to look for what is due."""
    sweep.register(stop, emissions_without_top)
    sweep.register(reveal, reveals_due)
    sweep.register(take_figures, figures_due)
