"""Read the figures of Promotrot for the public board (15.III.5.2): published figures only."""

from typing import Any

from core.kernel.languages import LANGUAGES
from promotrot.models.emission import Emission
from promotrot.selectors.public import public_document, public_figures, shown_emissions


def board_pulse() -> dict[str, Any]:
    """Return no counter: the board shows nothing of Promotrot at the moment it happens."""
    return {}


def board_document() -> dict[str, Any]:
    """Return the emissions on sale, by language. Their figures are the published ones, late on
    purpose.
    """
    figures = [
        public_figures(emission)
        for emission in shown_emissions().filter(state__in=Emission.ON_SALE).order_by("pk")
    ]
    return {
        language: [public_document(each, language) for each in figures] for language in LANGUAGES
    }
