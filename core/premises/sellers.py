"""Keep in memory the names of sellers and premises that papers show, so that a sale need not
query.
"""

import dataclasses

from core.database.kept import kept
from core.premises.models import Operator, Premises, Terminal

CARD_KEPT_S = 30


@dataclasses.dataclass(frozen=True, slots=True)
class SellerFacts:
    """The establishment, the terminal and the operator, as a ticket names them."""

    premises_code: str
    premises_name: str
    premises_address: str
    premises_municipality: str
    terminal_code: str
    operator_number: int


@kept(most=16_384, seconds=CARD_KEPT_S)
def seller_facts(terminal_id: int, operator_id: int) -> SellerFacts:
    """Return the names of a seller. They are at most 30 seconds old, because premises may be
    renamed.
    """
    terminal = Terminal.objects.select_related("premises").get(pk=terminal_id)
    place = terminal.premises
    return SellerFacts(
        premises_code=place.code,
        premises_name=place.name,
        premises_address=place.address,
        premises_municipality=place.municipality,
        terminal_code=terminal.code,
        operator_number=Operator.objects.values_list("number", flat=True).get(pk=operator_id),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class PlaceFacts:
    """Premises as papers name them."""

    code: str
    name: str
    address: str
    municipality: str


@kept(most=4_096, seconds=CARD_KEPT_S)
def place_facts(premises_id: int) -> PlaceFacts:
    """Return the names of premises. They are at most 30 seconds old."""
    place = Premises.objects.get(pk=premises_id)
    return PlaceFacts(place.code, place.name, place.address, place.municipality)
