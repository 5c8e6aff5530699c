"""Find the place of draws: a registered Central Prize Payment Office (14.III.5.4.2) [B16]."""

from core.premises.models import Premises


def placed(named: str) -> tuple[Premises | None, str]:
    """Return the Central Office that a text names, or None, and the place to announce.

    An office is named by its code, or by its name and address as announced. An empty text names the
    first one registered; "" is returned while there is none. Any other text is a place elsewhere.
    """
    words = named.strip()
    offices = Premises.objects.filter(kind=Premises.Kind.CENTRAL_OFFICE).order_by("pk")
    for office in offices:
        address = f"{office.name}, {office.address}, {office.municipality}"
        if words in ("", office.code, address):
            return office, address
    return None, words
