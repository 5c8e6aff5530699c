"""Store what becomes of the debt of a game that has ended: draws, and the authority's decision."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.staff.models import Proposal
from promotrot.engine.shortfall import MOST_DRAWS
from promotrot.models.game import Game


class DebtDraw(Guarded):
    """A public draw of what an ended game owes among all its tickets (15.III.6.2) [P2, P17].

    The first shares out the debt of the ending; a later one what lapsed of the earlier prizes. The
    draw itself is a `core.draws.models.Draw` with the subject `code:number`.
    """

    game = foreign_key(Game, _("game"), related_name="debt_draws", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    owed_cents = models.BigIntegerField(_("owed to prizes"))
    winners = models.PositiveIntegerField(_("tickets drawn"))
    announced_at = models.DateTimeField(_("announced at"))

    class Meta:
        verbose_name = _("draw of a game's debt")
        verbose_name_plural = _("draws of games' debts")
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="debt_draw_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_DRAWS, winners__gte=1),
                name="debt_draw_most",
            ),
            models.CheckConstraint(
                condition=Q(owed_cents__gte=models.F("winners")), name="debt_draw_cents"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game}:{self.number}"


class DebtStanding(Guarded):
    """Money that every draw of an ended game gave to nobody who came for it, or that it owed with
    no ticket left to draw [P17].

    It stands on an account of its own, and never is the organiser's.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    game = foreign_key(Game, _("game"), related_name="debt_standings")
    cents = models.BigIntegerField(_("amount"))
    stood_at = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("debt before the authority")
        verbose_name_plural = _("debts before the authority")
        constraints = [models.CheckConstraint(condition=Q(cents__gt=0), name="debt_standing")]

    def __str__(self) -> str:
        return str(self.game)


class DebtDecision(Guarded):
    """The authority's decision on money that stands before it, carried out by two persons [P17].

    The money is paid from the treasury to the `payee` whom the authority names.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    game = foreign_key(Game, _("game"), related_name="debt_decisions")
    proposal = one_to_one(Proposal, _("proposal"))
    reference = models.CharField(_("reference"), max_length=120)
    payee = models.CharField(_("payee"), max_length=200)
    cents = models.BigIntegerField(_("amount"))
    decided_at = models.DateTimeField(_("decided at"))

    class Meta:
        verbose_name = _("decision on a debt")
        verbose_name_plural = _("decisions on debts")
        constraints = [
            models.CheckConstraint(
                condition=Q(cents__gt=0) & ~Q(reference="") & ~Q(payee=""),
                name="debt_decision_whole",
            )
        ]

    def __str__(self) -> str:
        return self.reference
