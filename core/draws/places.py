"""Find the place of draws: the Central Prize Payment Office (14.III.5.4.2)."""

from core.premises.models import Premises


def central_office() -> str:
    """Return the office's name and address; "" while none is registered."""
    office = Premises.objects.filter(kind=Premises.Kind.CENTRAL_OFFICE).order_by("pk").first()
    return f"{office.name}, {office.address}, {office.municipality}" if office else ""
