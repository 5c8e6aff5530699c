"""Run Promotrot's Celery tasks. The database says what is due; the tasks do it soon.

A task takes an id, reads the state again and may run twice. A second run changes nothing.
"""

from celery import shared_task

from core.database.due_work import DueWork
from promotrot.models.emission import Emission
from promotrot.selectors.closing import emissions_without_top, reveals_due
from promotrot.selectors.public import figures_due
from promotrot.selectors.vouchers import secrets_due
from promotrot.services.closing import emission_stop, seed_reveal
from promotrot.services.figures import figures_take
from promotrot.services.vouchers import secrets_erase


@shared_task  # type: ignore[untyped-decorator]
def stop(emission_id: int) -> bool:
    """Stop the sale of an emission that has no top prize left, if it is set to stop."""
    return emission_stop(emission=Emission.objects.get(pk=emission_id))


@shared_task  # type: ignore[untyped-decorator]
def reveal(emission_id: int) -> bool:
    """Publish the seed of a closed emission."""
    return seed_reveal(emission=Emission.objects.get(pk=emission_id))


@shared_task  # type: ignore[untyped-decorator]
def forget_codes(secret_id: int) -> int:
    """Erase the secrets of voucher codes that may not be given again, after noon [P16]."""
    return secrets_erase()


@shared_task  # type: ignore[untyped-decorator]
def take_figures(emission_id: int) -> int:
    """Record how far the sale of an emission has come, for the public later."""
    return figures_take(emission=Emission.objects.get(pk=emission_id)).sold


DUE: tuple[DueWork, ...] = (
    DueWork(stop, emissions_without_top),
    DueWork(reveal, reveals_due),
    DueWork(take_figures, figures_due),
    DueWork(forget_codes, secrets_due),
)
