"""Celery tasks of Promotrot. The database says what is due; these get it done soon.

A task takes an id, reads the state again and may run twice: what is done already stays as it is.
"""

from celery import shared_task

from promotrot.models.emission import Emission
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
