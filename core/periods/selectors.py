"""Read the closed periods."""

from django.db.models import QuerySet

from core.periods import powers
from core.periods.models import ClosedPeriod
from core.staff.actor import StaffActor


def periods(*, by: StaffActor) -> QuerySet[ClosedPeriod]:
    """Return the closed periods. Raises PowerMissing."""
    by.need(powers.READ)
    return ClosedPeriod.objects.select_related("entry")
