"""Put on the office's desk why a document is worth its amount."""

from typing import Any

from core.admin_support.columns import link, money
from core.payoffice.services.checking import Checked


def reasons_shown(checked: Checked) -> dict[str, Any]:
    """Return the reasons for what is owed, in words and amounts; empty if there are none.

    A ticket's refund has none.
    """
    reasons = checked.reasons()
    if reasons is None:
        return {}
    return {
        "won": [
            {
                "title": won.title,
                "units": won.units,
                "unit": money(won.unit_cents),
                "sum": money(won.cents),
                "steps": won.steps,
            }
            for won in reasons.won
        ],
        "sentences": reasons.sentences,
        "heads": reasons.heads,
        "figures": link(reasons.figures, reasons.figures_title),
        "agrees": reasons.agrees,
    }
