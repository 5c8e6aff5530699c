"""What a game owes to prizes, and what of it may fund extra ones [P2]."""

from django.db.models import Sum

from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.game import Game

_STATED = (Emission.State.CLOSED, Emission.State.REVEALED)


def owed_cents(game: Game) -> int:
    """What the game owes to prizes by its last closing statement."""
    last = ClosingStatement.objects.filter(game=game).order_by("-sequence").first()
    return last.owed_cents if last else 0


def fundable_cents(game: Game) -> int:
    """What it owes and no emission that is planned or on sale has been given extra prizes for."""
    given = game.emissions.exclude(state__in=_STATED).aggregate(cents=Sum("extra_cents"))["cents"]
    return owed_cents(game) - (given or 0)
