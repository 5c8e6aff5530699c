"""What the public board shows of Promotrot (15.III.5.2): what the public is told, no sooner."""

from typing import Any

from core.receipts.document import LANGUAGES
from promotrot.models.emission import Emission
from promotrot.selectors.public import public_figures, shown_emissions, told

_ON_SALE = (Emission.State.OPEN, Emission.State.STOPPED)


def board_pulse() -> dict[str, Any]:
    """Nothing of Promotrot is shown as it happens."""
    return {}


def board_document() -> dict[str, Any]:
    """The emissions on sale, by language: the figures are those published, late by design."""
    found = [
        public_figures(emission)
        for emission in shown_emissions().filter(state__in=_ON_SALE).order_by("pk")
    ]
    return {language: [told(each, language) for each in found] for language in LANGUAGES}
