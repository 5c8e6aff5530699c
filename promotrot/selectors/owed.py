"""Compute what a game owes to prizes, and the part of it that may pay extra prizes [P2]."""

from django.db.models import Sum

from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.game import Game


def owed_cents(game: Game) -> int:
    """Return the game's debt to prizes by its last closing statement."""
    last = ClosingStatement.objects.filter(game=game).order_by("-sequence").first()
    return last.owed_cents if last else 0


def fundable_cents(game: Game) -> int:
    """Return the debt for which no planned or open emission has extra prizes yet."""
    extra_cents = game.emissions.exclude(state__in=Emission.OVER).aggregate(
        cents=Sum("extra_cents")
    )["cents"]
    return owed_cents(game) - (extra_cents or 0)
