"""Find the orders of balls that were drawn by hand, and say whether one waits for the inspector."""

import uuid
from datetime import datetime
from typing import Final

from django.db.models import DateTimeField, Exists, Func, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from core.draws.models import Draw
from core.staff.models import Proposal

KIND: Final = "draws.manual"
"""The kind of the proposals that enter the order of balls."""
_PREFIX: Final = "draw:"
_NOW = Func(function="core_now", output_field=DateTimeField())


def subject_of(draw: uuid.UUID) -> str:
    """Return the subject of the proposals that enter the balls of a draw."""
    return f"{_PREFIX}{draw}"


def balls_of(draw: Draw) -> QuerySet[Proposal]:
    """Return the orders of balls that were entered for the subject of a draw, the oldest first."""
    draws = Draw.objects.filter(kind=draw.kind, subject=draw.subject)
    subjects = [subject_of(each) for each in draws.values_list("uuid", flat=True)]
    entered = Proposal.objects.filter(kind=KIND, subject__in=subjects).order_by("pk")
    return entered.select_related("decision__decided_by")


def balls_wait() -> Exists:
    """Return the condition on a draw that its balls are entered, and neither confirmed nor
    rejected.

    Until then nothing else decides the draw, and no fact behind it changes: otherwise an order that
    everybody has seen could be made void by those whom it does not suit.
    """
    subject = Concat(Value(_PREFIX), Cast(OuterRef("uuid"), TextField()))
    entered = Proposal.objects.filter(kind=KIND, decided=False, good_until__gte=_NOW)
    return Exists(entered.filter(subject=subject))


def do_balls_wait(draw: Draw) -> bool:
    """Return whether balls of this draw wait."""
    return Draw.objects.filter(balls_wait(), pk=draw.pk).exists()


def draws_announcing(draw: Draw, at: datetime) -> QuerySet[Draw]:
    """Return the draws whose announcements may count for what was drawn at this instant [B16].

    They are the draw, and those of its subject that were committed to only later, and abandoned: a
    commitment makes no balls void that were drawn before it.
    """
    earlier = Q(state=Draw.State.ABANDONED, commitment__committed_at__gt=at)
    same = Draw.objects.filter(kind=draw.kind, subject=draw.subject)
    return same.filter(earlier | Q(pk=draw.pk))
