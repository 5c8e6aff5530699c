"""Move unclaimed prizes of the last draw to the authority's account, every night [P17]."""

import datetime

from core.nights.jobs import MOST_LISTED, Outcome
from promotrot.models.game import Game
from promotrot.selectors.debts import debts
from promotrot.services.debts.drawing import debt_stand


def debts_list(day: datetime.date) -> Outcome:
    """Let lapsed debts stand for the authority, and list every debt by age."""
    ended = Game.objects.filter(ending__owed_cents__gt=0).order_by("pk")
    stood = sum(debt_stand(game=game) is not None for game in ended)
    listed = [
        {
            "game": debt.game.code,
            "stage": debt.stage.value,
            "since": debt.since.isoformat(),
            "cents": debt.cents,
        }
        for debt in debts()
    ]
    return Outcome({"stood": stood, "debts": len(listed)}, {"debts": listed[:MOST_LISTED]})
